/** A form at a terminal: all of its words are there, and none of them hides anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { paintFor } from '../../src/cli/output/paint.js';
import { hidesText, type FormRequest } from '../../src/core/index.js';
import { anyForm, marksOf } from '../core/request/arbitraryForms.js';

/** Each field is skipped. */
function shown(request: FormRequest): string {
  const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/project', columns: () => 10_000 });
  const lines = [dialog.text, dialog.prompt()];
  for (let step = dialog.typed(''); step?.type === 'more'; step = dialog.typed('')) lines.push(step.text ?? '', dialog.prompt());
  return lines.join('\n');
}

test('shows every word of a form, and spells out what cannot be seen', () => {
  fc.assert(
    fc.property(anyForm, (request) => {
      const text = shown(request);
      for (const mark of marksOf(request)) assert.ok(text.includes(mark), `${mark} in ${text}`);
      assert.ok(!hidesText(text), JSON.stringify(text));
    }),
  );
});
