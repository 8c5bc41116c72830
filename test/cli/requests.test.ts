/** Requests of every kind as JSON lines, at a terminal, and with the policies; some of them no agent sends yet. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { answerByPolicy, nonInteractiveAnswer } from '../../src/cli/input/answering.js';
import { openDialog } from '../../src/cli/input/requestDialog.js';
import { answeredLine, requestLine } from '../../src/cli/output/jsonOutput.js';
import { answerFromText, type QuestionRequest, textFromAnswer } from '../../src/cli/output/requestText.js';
import { eventLine } from '../../src/cli/output/eventSchema.js';
import { schemaVersion } from '../../src/cli/output/reportSchema.js';
import { answerLine, answersByLine } from '../../src/cli/input/jsonInput.js';
import { paintFor } from '../../src/cli/output/terminalText.js';
import {
  type FormField,
  type PermissionOption,
  type PermissionRequest,
  selectOption,
  type UserAnswer,
  type UserRequest,
} from '../../src/core/index.js';
import { isAcceptable } from '../../src/core/services/isAcceptable.js';

const base = { id: 'r', sessionId: 's', at: 0 };
const choices = [
  { value: 'a', label: 'Apples' },
  { value: 'b', label: 'Pears, green' },
];
const confirm: UserRequest = { kind: 'confirm', ...base, title: 'Delete it?', message: 'It is merged.' };
const url: QuestionRequest = { kind: 'url', ...base, message: 'Sign in.', url: 'https://example.com/' };
const editor: QuestionRequest = { kind: 'editor', ...base, title: 'Message', prefill: 'one\ntwo' };
const many: QuestionRequest = {
  kind: 'form',
  ...base,
  message: 'Which?',
  fields: [{ type: 'multiselect', name: 'f', required: true, choices, allowCustom: true }],
};
const form: QuestionRequest = {
  kind: 'form',
  ...base,
  message: 'How?',
  fields: [
    { type: 'text', name: 'name', label: 'Name', required: true },
    { type: 'integer', name: 'port', required: true, min: 1, max: 9, defaultValue: 7 },
    { type: 'boolean', name: 'open', required: false },
    { type: 'select', name: 'size', required: true, choices, allowCustom: false },
  ],
};
const accept = (values: Extract<UserAnswer, { type: 'accept' }>['values'] = {}): UserAnswer => ({ type: 'accept', values });
const questions: readonly QuestionRequest[] = [url, editor, many, form];
const all: readonly UserRequest[] = [confirm, ...questions];

/** Parses the lines; the result of the last one counts. */
function typed(request: UserRequest, ...lines: readonly string[]): unknown {
  const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/' });
  return lines.map((line) => dialog.typed(line)).at(-1);
}

describe('a request as JSON', () => {
  it('a permission or a question matches the schema, and so does its answer', () => {
    const answers = [accept(), accept(), accept({ text: 'x' }), accept({ f: ['a'] }), accept({ name: 'n', port: 1, size: 'a' })];
    for (const [index, request] of all.entries()) {
      const answer = answers[index] ?? accept();
      assert.ok(isAcceptable(request, answer));
      for (const line of [requestLine(request), answeredLine(request, answer), answeredLine(request, { type: 'cancel', why: 'deadline' })])
        assert.deepEqual(eventLine.parse({ schemaVersion, ...line }), { schemaVersion, ...line });
    }
    const events = all.map((request) => requestLine(request).event);
    assert.deepEqual(events, ['permission', 'question', 'question', 'question', 'question']);
  });

  it('names the options of the host itself', () => {
    const subject = {
      itemId: undefined,
      toolCallId: 't',
      title: '/etc/hosts',
      toolKind: 'read',
      rawInput: {},
      content: [],
      locations: [],
    } as const;
    const options = [{ optionId: 'allow', name: '', kind: 'allow_once' }] as const;
    const line = requestLine({ kind: 'permission', ...base, subject, options });
    assert.ok(line.event === 'permission' && line.phase === 'request');
    assert.equal(line.options[0]?.name, 'Allow once');
  });

  it('a text can answer it in the same way', () => {
    for (const [request, text, answer] of [
      [many, 'Apples, Pears, green', accept({ f: ['a', 'b'] })],
      [many, 'a', accept({ f: ['a'] })],
      [many, 'something, else', accept({ f: ['something, else'] })],
      [editor, 'x', accept({ text: 'x' })],
      [url, 'opened', accept()],
      [{ ...url, isOpened: true }, 'done', accept()],
      [url, 'declined', { type: 'decline' }],
      [url, 'yes', undefined],
      [form, 'x', undefined],
    ] as const)
      assert.deepEqual(answerFromText(request, text), answer, text);
    assert.equal(textFromAnswer(many, accept({ f: ['a', 'b'] })), 'a, b');
    assert.equal(textFromAnswer(form, accept({ name: 'n' })), undefined);
  });

  it('values are accepted by field name, and an option of a yes-or-no question; unknown values are reported', () => {
    const problems: string[] = [];
    const given: UserAnswer[] = [];
    const answers = answersByLine((problem) => problems.push(problem));
    for (const [request, line] of [
      [form, { question: 'r', values: { name: 'n', port: 3, size: 'b' } }],
      [form, { question: 'r', text: 'n' }],
      [confirm, { permission: 'r', optionId: 'no' }],
      [confirm, { permission: 'r', optionId: 'maybe' }],
      [confirm, { question: 'r', text: 'yes' }],
      [editor, { question: 'r', text: 'x' }],
    ] as const) {
      answers.ask(request, (answer) => isAcceptable(request, answer) && given.push(answer) > 0);
      answers.give(line);
      answers.closed(request.id);
    }
    assert.deepEqual(given, [accept({ name: 'n', port: 3, size: 'b' }), { type: 'decline' }, accept({ text: 'x' })]);
    assert.equal(problems.length, 3);
  });

  it('an answer that comes after another one is reported at once', () => {
    const problems: string[] = [];
    const answers = answersByLine((problem) => problems.push(problem));
    answers.ask(confirm, () => true);
    answers.closed(confirm.id);
    answers.give({ permission: confirm.id, optionId: 'yes' });
    answers.dispose();
    assert.deepEqual(problems, [`The permission "${confirm.id}" is no longer open`]);
  });
});

describe('a request in a terminal', () => {
  it('yes and no are accepted in words', () => {
    for (const line of ['y', 'Yes']) assert.deepEqual(typed(confirm, line), accept());
    assert.deepEqual([typed(confirm, 'n'), typed(url, 'no'), typed(url, 'y')], [{ type: 'decline' }, { type: 'decline' }, accept()]);
    assert.equal(typed(confirm, '1'), undefined);
  });

  it('the first option of a kind has the same number in every request, in the order of the kinds', () => {
    const subject = {
      itemId: undefined,
      toolCallId: 'c',
      title: 'Run',
      toolKind: 'execute',
      rawInput: undefined,
      content: [],
      locations: [],
    } as const;
    const permission = (...kinds: readonly PermissionOption['kind'][]): PermissionRequest => {
      const options = kinds.map((kind, index) => ({ optionId: `${kind}${index}`, name: `Option ${index}`, kind }));
      return { kind: 'permission', ...base, subject, options };
    };
    for (const [request, numbers, choice] of [
      [permission('reject_once', 'allow_once'), { 1: 'allow_once1', 3: 'reject_once0' }, '1 or 3, Enter to reject once'],
      [
        permission('reject_always', 'reject_once', 'allow_once'),
        { 1: 'allow_once2', 3: 'reject_once1', 4: 'reject_always0' },
        '1, 3, or 4, Enter to reject once',
      ],
      [permission('allow_always'), { 2: 'allow_always0' }, '2, Enter to cancel'],
      [
        permission('other', 'reject_once', 'reject_once', 'allow_once'),
        { 1: 'allow_once3', 3: 'reject_once1', 5: 'reject_once2', 6: 'other0' },
        '1, 3, 5, or 6, Enter to reject once',
      ],
      [
        permission('allow_once', 'reject_once', 'allow_once'),
        { 1: 'allow_once0', 2: 'allow_once2', 3: 'reject_once1' },
        '1-3, Enter to reject once',
      ],
    ] as const) {
      const dialog = openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/' });
      assert.equal(dialog.prompt(), `Your choice (${choice}): `);
      assert.deepEqual(
        [...dialog.text.matchAll(/^ {2}(\d+) {2}/gm)].map(([, number]) => number),
        Object.keys(numbers),
      );
      const chosen = ['0', '1', '2', '3', '4', '5', '6', '7'].flatMap((line) => {
        const answer = dialog.typed(line);
        return answer === undefined ? [] : [[line, answer]];
      });
      assert.deepEqual(
        chosen,
        Object.entries(numbers).map(([number, optionId]) => [number, selectOption(optionId)]),
      );
    }
  });

  it('fields are asked one by one', () => {
    assert.deepEqual(typed(form, 'api', '3', 'y', '2'), accept({ name: 'api', port: 3, open: true, size: 'b' }));
    assert.deepEqual(typed(form, 'api', '', '', '1'), accept({ name: 'api', port: 7, size: 'a' }));
    assert.equal(typed(form, 'api', '10'), undefined);
    assert.equal(typed(form, 'api', '', '', '3'), undefined);
    assert.deepEqual(typed(many, '2, 1'), accept({ f: ['b', 'a'] }));
    assert.deepEqual(typed(many, 'my own'), accept({ f: ['my own'] }));
  });

  it('a text of several lines ends with a single dot', () => {
    assert.deepEqual(typed(editor, 'a', '', 'b', '.'), accept({ text: 'a\n\nb' }));
    assert.deepEqual(typed(editor, '.'), accept({ text: 'one\ntwo' }));
  });

  it('a form is declined if the agent supports that', () => {
    const text: FormField = { type: 'text', name: 'mail', required: true, format: 'email', maxLength: 9, pattern: '^a' };
    const request: QuestionRequest = { kind: 'form', ...base, message: 'Who?', fields: [text], canDecline: true };
    assert.deepEqual(typed(request, '/decline'), { type: 'decline' });
    assert.deepEqual(typed({ ...request, canDecline: false, fields: [{ ...text, format: 'uri' }] }, '/decline'), undefined);
    assert.deepEqual([typed(request, 'nobody'), typed(request, 'a@b')], [undefined, accept({ mail: 'a@b' })]);
    assert.equal(
      openDialog(request, { paint: paintFor(false), agentLabel: 'agent', cwd: '/' }).prompt(),
      'Your answer (an email address, matching ^a, at most 9 characters, Enter to cancel, /decline to decline): ',
    );
    assert.deepEqual(answeredLine(request, { type: 'decline' }), {
      event: 'question',
      phase: 'answer',
      sessionId: 's',
      id: 'r',
      outcome: 'declined',
    });
    const answers: UserAnswer[] = [];
    const byLine = answersByLine(() => assert.fail());
    byLine.ask(request, (answer) => answers.push(answer) > 0);
    byLine.give(answerLine.parse({ question: 'r', declined: true }));
    assert.deepEqual(answers, [{ type: 'decline' }]);
  });

  it('Enter alone leaves it undecided', () => {
    all.forEach((request) => assert.deepEqual(typed(request, ''), { type: 'cancel' }, request.kind));
    assert.deepEqual(typed({ ...form, fields: [] }, ''), { type: 'cancel' });
  });
});

describe('--permission and --answer', () => {
  it('they decide permissions and yes-or-no questions, and no other questions', () => {
    for (const permission of ['allow', 'reject'] as const) {
      assert.deepEqual(answerByPolicy(confirm, { permission, answer: 'x' }), permission === 'allow' ? accept() : { type: 'decline' });
      for (const request of questions) assert.equal(answerByPolicy(request, { permission, answer: undefined }), undefined);
    }
    const policy = { permission: 'allow', answer: 'x' } as const;
    assert.deepEqual(answerByPolicy(editor, policy), accept({ text: 'x' }));
    assert.equal(answerByPolicy(url, policy), undefined);
    const unusable = answerByPolicy(form, policy);
    assert.ok(unusable !== undefined && !isAcceptable(form, unusable));
  });

  it('of several options that allow once, only the one named with --answer is selected', () => {
    const options = ['Red', 'Blue'].map((name) => ({ optionId: name.toLowerCase(), name, kind: 'allow_once' as const }));
    const subject = {
      itemId: undefined,
      toolCallId: 'c',
      title: 'Which?',
      toolKind: 'other' as const,
      rawInput: {},
      content: [],
      locations: [],
    };
    const question: UserRequest = {
      kind: 'permission',
      ...base,
      subject,
      options: [...options, { optionId: 'no', name: 'Skip', kind: 'reject_once' }],
    };
    for (const permission of ['allow', 'ask'] as const) {
      assert.equal(answerByPolicy(question, { permission, answer: undefined }), undefined);
      assert.equal(answerByPolicy(question, { permission, answer: 'Green' }), undefined);
      assert.deepEqual(answerByPolicy(question, { permission, answer: 'Blue' }), selectOption('blue'));
    }
    assert.deepEqual(answerByPolicy(question, { permission: 'reject', answer: 'Blue' }), selectOption('no'));
    const plain: UserRequest = { ...question, options: question.options.slice(1) };
    assert.deepEqual(answerByPolicy(plain, { permission: 'allow', answer: 'Red' }), selectOption('blue'));
    const lasting: UserRequest = { ...question, options: [{ optionId: 'always', name: 'Always', kind: 'allow_always' }] };
    assert.equal(answerByPolicy(lasting, { permission: 'allow', answer: 'Always' }), undefined);
    assert.equal(answerByPolicy(lasting, { permission: 'reject', answer: undefined })?.type, 'cancel');
  });

  it('without a user to ask, nothing is accepted', () => {
    for (const request of all) {
      const expected = request.kind === 'confirm' ? { type: 'decline' } : { type: 'cancel', why: 'not_interactive' };
      assert.deepEqual(nonInteractiveAnswer(request), expected, request.kind);
    }
  });
});
