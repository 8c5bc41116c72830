/** Runs in the browser: the least that a page must do with a streamed text, and the most that is commonly done. */
import { marked } from 'marked';

export interface Baseline {
  append(text: string): void;
}

declare global {
  interface Window {
    baselines: Readonly<Record<'floor' | 'markedPerFrame', () => Baseline>>;
  }
}

function scroller(): HTMLElement {
  const box = document.createElement('div');
  Object.assign(box.style, { height: '600px', overflowY: 'auto', font: '13px/1.5 system-ui' });
  document.body.replaceChildren(box);
  return box;
}

/** Appends text to paragraphs, in groups that the browser may skip. No Markdown. */
function floor(): Baseline {
  const box = scroller();
  let group: HTMLElement | undefined;
  let paragraph: HTMLElement | undefined;
  let pending = '';
  const draw = (): void => {
    for (const [index, part] of pending.split('\n\n').entries()) {
      if (index > 0 || paragraph === undefined) {
        if (group === undefined || group.childElementCount >= 32) {
          group = document.createElement('div');
          Object.assign(group.style, { contentVisibility: 'auto', containIntrinsicSize: 'auto 800px' });
          box.append(group);
        }
        paragraph = document.createElement('p');
        group.append(paragraph);
      }
      paragraph.append(part);
    }
    pending = '';
    box.scrollTop = box.scrollHeight;
  };
  return perFrame((text) => {
    pending += text;
  }, draw);
}

/** Parses and replaces the whole text in each frame in which text arrived. */
function markedPerFrame(): Baseline {
  const box = scroller();
  let text = '';
  return perFrame(
    (added) => {
      text += added;
    },
    () => {
      box.innerHTML = marked.parse(text, { async: false });
      box.scrollTop = box.scrollHeight;
    },
  );
}

function perFrame(take: (text: string) => void, draw: () => void): Baseline {
  let frame: number | undefined;
  return {
    append(text) {
      take(text);
      frame ??= requestAnimationFrame(() => {
        frame = undefined;
        draw();
      });
    },
  };
}

window.baselines = { floor, markedPerFrame };
