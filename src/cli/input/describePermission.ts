/** Formats a permission request as lines of a terminal: everything that it contains, in the agent's column, and what the host adds. */
import { type PermissionDescription, type RequestPart, revealHidden, revealOnOneLine, shownHunk } from '../../core/index.js';
import { partLabel, placeText, riskText, subjectText } from '../../text/requestText.js';
import { boxed, fitsOnLine, type Paint } from '../output/terminalText.js';
import { diffText } from '../output/diffText.js';

export interface PermissionLines {
  /** Lines in the agent's column. */
  readonly carried: readonly string[];
  readonly risks: readonly string[];
}

export function permissionLines(
  { subject, parts, risks }: PermissionDescription,
  { paint, columns }: { readonly paint: Paint; readonly columns?: () => number | undefined },
): PermissionLines {
  const said = [subjectText(subject), ...parts.flatMap((part) => (part.type === 'command' ? [part.text] : []))];
  const shown = parts.filter((part) => part.type !== 'title' || !said.some((text) => text.includes(part.text)));
  return {
    carried: shown.flatMap((part) => partLines(part, paint)).flatMap((line) => boxed(line, columns?.(), paint)),
    risks: risks.map(riskText).flatMap((risk) => {
      if (fitsOnLine(`  ! ${risk}`, columns?.())) return [`  ${paint.yellow('!')} ${risk}`];
      return [`  ${paint.yellow('!')}`, ...boxed(risk, columns?.(), paint)];
    }),
  };
}

function partLines(part: RequestPart, paint: Paint): readonly string[] {
  switch (part.type) {
    case 'title':
      return [paint.dim(revealOnOneLine(part.text))];
    case 'call':
      return [paint.dim(`${partLabel(part) ?? ''}:`), revealOnOneLine(part.text)];
    case 'more_calls':
      return [`${partLabel(part) ?? ''}: ${part.count}`];
    case 'command':
      return revealHidden(part.text)
        .split('\n')
        .map((line, index) => paint.bold(`${index === 0 ? '$' : ' '} ${line}`));
    case 'web':
      return [paint.bold(`${part.method === undefined ? '' : `${revealOnOneLine(part.method)} `}${revealOnOneLine(part.url)}`)];
    case 'move':
      return [`${revealOnOneLine(part.from.label)} → ${revealOnOneLine(part.to.label)}`];
    case 'path':
      return [`${revealOnOneLine(part.label)}${part.line === undefined ? '' : `:${part.line}`}`];
    case 'diff': {
      const isNew = part.placed === undefined ? part.change.oldText == null : part.placed.fit.type === 'new';
      const place = part.placed && placeText(part.placed);
      return [
        `${revealOnOneLine(part.label)}${isNew ? ' (new file)' : ''}`,
        ...(place === undefined ? [] : [paint.bold(place)]),
        ...diffText(part.change, paint, shownHunk(part)),
      ];
    }
    case 'folder':
      return labelled(part, part.path, paint);
    default:
      return labelled(part, part.text, paint);
  }
}

/** Puts a text with several lines below its label. */
function labelled(part: RequestPart, text: string, paint: Paint): readonly string[] {
  const label = partLabel(part);
  const lines = revealHidden(text).split('\n');
  if (label === undefined) return lines;
  return lines.length === 1
    ? [`${paint.dim(`${label}:`)} ${lines[0] ?? ''}`]
    : [paint.dim(`${label}:`), ...lines.map((line) => `  ${line}`)];
}
