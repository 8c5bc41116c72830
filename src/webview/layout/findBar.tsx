/** Searches the conversation like an editor: Ctrl+F opens the bar, Enter continues, Escape closes it. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/components.js';
import type { TextFinder } from '../transcript/findText.js';

export function FindBar({ finder }: { readonly finder: TextFinder }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      event.preventDefault();
      if (document.activeElement !== box.current) before.current = document.activeElement;
      setOpen(true);
      box.current?.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
  if (!open) return null;
  const close = (): void => {
    finder.clear();
    setOpen(false);
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  return <OpenFindBar finder={finder} box={box} onClose={close} />;
}

interface OpenFindBarProps {
  readonly finder: TextFinder;
  readonly box: { current: HTMLInputElement | null };
  readonly onClose: () => void;
}

function OpenFindBar({ finder, box, onClose }: OpenFindBarProps) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState({ at: 0, of: 0 });
  // Runs before the next key press, whose text belongs here.
  useLayoutEffect(() => box.current?.focus(), []);
  const search = (next: string): void => {
    setWords(next);
    setFound({ of: finder.find(next), at: finder.go(1) });
  };
  const go = (step: 1 | -1): void => setFound({ of: found.of, at: finder.go(step) });
  return (
    <div
      class="find-bar"
      role="search"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
        else if (event.key === 'Enter' && event.target === box.current) go(event.shiftKey ? 1 : -1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={box}
        class="find-words"
        type="text"
        aria-label="Find in the conversation"
        placeholder="Find"
        value={words}
        onInput={(event) => search(event.currentTarget.value)}
      />
      <span class="find-count" role="status">
        {words === '' ? '' : found.of === 0 ? 'No results' : `${found.at} of ${found.of}`}
      </span>
      <FindButton icon="arrow-up" label="Previous match (Enter)" onClick={() => go(-1)} />
      <FindButton icon="arrow-down" label="Next match (Shift+Enter)" onClick={() => go(1)} />
      <FindButton icon="close" label="Close (Escape)" onClick={onClose} />
    </div>
  );
}

function FindButton({ icon, label, onClick }: { readonly icon: string; readonly label: string; readonly onClick: () => void }) {
  return (
    <button type="button" class="icon-button" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
