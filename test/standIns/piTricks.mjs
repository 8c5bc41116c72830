/** What the stand-in for Pi does for each word of a prompt. Only for piStandIn.mjs. */
import { spawn } from 'node:child_process';
import { flood } from './flood.mjs';

export function tricksFor(agent) {
  const { emit, ask, say, words, message, text } = agent;
  const question = async () =>
    words((await ask('confirm', { title: 'May I?', message: 'It is only a test.' })).confirmed === true ? 'Yes!' : 'No.');
  const call = (name, args, id = 'same') => {
    say([{ type: 'toolCall', id, name, arguments: args }], { stopReason: 'toolUse' });
    emit({ type: 'tool_execution_start', toolCallId: id, toolName: name, args });
    return {
      update: (said) =>
        emit({ type: 'tool_execution_update', toolCallId: id, toolName: name, args, partialResult: { content: text(said), details: {} } }),
      end: (said, isError = false) =>
        emit({ type: 'tool_execution_end', toolCallId: id, toolName: name, result: { content: text(said), details: { n: 1 } }, isError }),
    };
  };
  let after = [];
  const later = (action) => after.push(action);
  /** Confirms the stop, but never reports the end of the run. */
  async function endsUnreported() {
    agent.endsUnreported = true;
    call('bash', { command: 'find /' });
    await agent.untilStopped();
  }
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  return {
    ask: question,
    async askAgain() {
      await question();
      await agent.untilStopped();
      await question();
    },
    hang: () => agent.untilStopped(),
    async wait() {
      words('waiting');
      await agent.untilStopped();
    },
    async ignoresFirstStop() {
      agent.lostAborts = 1;
      await agent.untilStopped();
    },
    async mute() {
      words('mute');
      agent.mute = true;
      await agent.untilStopped();
      agent.mute = false;
    },
    die: () => process.exit(9),
    /** An extension reports and asks something when its session ends. */
    asksWhenClosed() {
      agent.onClosed = () => {
        emit({ type: 'extension_ui_request', id: 'n', method: 'notify', message: 'bye' });
        void question();
      };
    },
    deaf() {
      agent.deaf = true;
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
      words('deaf');
    },
    async family() {
      const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1 << 30); process.send('ready'); process.disconnect();";
      const child = spawn(process.execPath, ['-e', stubborn], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      await new Promise((resolve) => child.once('message', resolve));
      words(`${process.pid} ${child.pid}`);
    },
    babble() {
      process.stdout.write('I am an agent\n');
      for (const line of [
        '[1,[2]]',
        'null',
        '5',
        '{"kind":"x"}',
        '{"type":"hologram"}',
        '{"type":"tool_execution_start"}',
        '{"type":"response","id":"nobody","command":"x","success":true}',
      ])
        process.stdout.write(`${line}\n`);
      emit({ type: 'message_update', assistantMessageEvent: { type: 'hologram' } });
      emit({ type: 'message_update', assistantMessageEvent: 7 });
      void ask('hologram', { title: 'lost' });
      words('babble');
    },
    tool() {
      call('read', { path: 'a.txt' }).end('content');
      words('looked');
    },
    grows() {
      const shell = call('bash', { command: 'make' }, 'grows');
      shell.update('one\n');
      shell.update('one\ntwo\n');
      shell.end('one\ntwo\n\nCommand exited with code 7', true);
    },
    edits() {
      call('edit', { path: 'a.txt', edits: [{ oldText: 'old', newText: 'new' }] }, 'edits').end('Edited.');
      call('write', { path: '/abs/b.txt', content: 'all new' }, 'writes').end('Written.');
    },
    think: () => say([{ type: 'thinking', thinking: 'Hm.' }, ...text('So.')]),
    length: () => say(text('cut'), { stopReason: 'length' }),
    provider: () =>
      say([], { stopReason: 'error', errorMessage: '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}' }),
    async timed() {
      const answer = await ask('confirm', { title: 'Quick!', message: 'Now.', timeout: 150 });
      await pause(100);
      words(answer.timedOut === true ? 'too late' : 'in time');
    },
    async dialogs() {
      const answers = [];
      for (const [method, fields] of [
        ['select', { title: 'Which?', options: ['Allow', 'Block'] }],
        ['input', { title: 'Name?', placeholder: 'your name' }],
        ['editor', { title: 'Edit', prefill: 'Line 1\nLine 2' }],
      ])
        answers.push((await ask(method, fields)).value ?? 'nothing');
      words(answers.join('|'));
    },
    async strangeDialogs() {
      const answers = [await ask('hologram', { title: 'Look' }), await ask('select', { title: 'Which?', options: [{ label: 'A' }] })];
      words(answers.map(({ cancelled }) => (cancelled === true ? 'dismissed' : 'answered')).join('|'));
    },
    async notices() {
      const ui = (method, fields) => emit({ type: 'extension_ui_request', id: `${method}1`, method, ...fields });
      ui('notify', { message: 'Look here', notifyType: 'warning' });
      ui('setStatus', { statusKey: 's', statusText: 'busy' });
      ui('setStatus', { statusKey: 's' });
      ui('setWidget', { widgetKey: 'w', widgetLines: ['a', 'b'], widgetPlacement: 'belowEditor' });
      ui('setWidget', { widgetKey: 'w' });
      ui('setTitle', { title: 'A title' });
      ui('set_editor_text', { text: 'prefilled' });
      emit({ type: 'extension_error', extensionPath: '/e.ts', event: 'tool_call', error: 'It broke' });
      words('noticed');
    },
    async hostTool() {
      words(`host tool: ${(await agent.hostTool('nobody_has_it')).isError}`);
    },
    /** `host NAME JSON`; what is attached follows on lines of its own. */
    async host({ message: line }) {
      const [, name, args = '{}'] = /^host (\S+)(?: (.*))?$/m.exec(line);
      const { result, isError = false } = await agent.hostTool(name, JSON.parse(args));
      if (result !== undefined) words(`${isError ? 'error: ' : ''}${result.content[0].text}`);
    },
    async hostHang() {
      const result = agent.hostTool('nobody_has_it');
      await result;
      await agent.untilStopped();
    },
    /** `flood COUNT BYTES` */
    async flood({ message: line }) {
      const empty = { role: 'assistant', content: [] };
      message('message_start', empty);
      await flood(process.stdout, line, (delta) => ({
        type: 'message_update',
        ...(agent.isNew ? { usage: { input: 10, output: 5 } } : { message: empty }),
        assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta, ...(agent.isNew ? {} : { partial: empty }) },
      }));
      message('message_end', { ...empty, stopReason: 'stop' });
    },
    silentCompletion() {
      // Some parts are missing, and the end of the message has everything.
      const whole = { role: 'assistant', content: text('all of it'), stopReason: 'stop' };
      message('message_start', { ...whole, content: [] });
      emit({ type: 'message_update', assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'all ' } });
      message('message_end', whole);
    },
    retries() {
      say([], { stopReason: 'error', errorMessage: 'overloaded' });
      later(async () => {
        emit({ type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 500, errorMessage: 'overloaded' });
        await pause(500);
        emit({ type: 'agent_start' });
        words('second try');
        emit({ type: 'auto_retry_end', success: true, attempt: 1 });
        emit({ type: 'agent_end', messages: [] });
      });
    },
    /** The run goes on after a pause that is longer than the host waits for silence; one of two versions marks it. */
    async continues() {
      words('First half. ');
      for (const mark of [{ isTerminal: false }, { willContinue: true }]) {
        emit({ type: 'agent_end', messages: [], ...mark });
        await pause(500);
        emit({ type: 'agent_start' });
        words('More. ');
      }
    },
    endsUnreported,
    /** Like `endsUnreported`, while the agent has announced that the run goes on. */
    async pausesUnreported() {
      emit({ type: 'agent_end', messages: [], isTerminal: false });
      await endsUnreported();
    },
    repeatsIds() {
      const commands = ['one', 'two', 'three'];
      say(
        commands.map((command) => ({ type: 'toolCall', id: 'same', name: 'bash', arguments: { command } })),
        { stopReason: 'toolUse' },
      );
      for (const command of commands) {
        const names = { toolCallId: 'same', toolName: 'bash' };
        emit({ type: 'tool_execution_start', ...names, args: { command } });
        emit({ type: 'tool_execution_end', ...names, result: { content: text(`of ${command}`) }, isError: false });
      }
      const unknown = { toolCallId: 'unknown', toolName: 'bash', args: { command: 'make' } };
      emit({ type: 'tool_execution_update', ...unknown, partialResult: { content: text('making') } });
    },
    /** Sends an event over the limit of a line. */
    large: () => call('read', { path: 'a.txt' }).end('é'.repeat(1_000_000)),
    compacts() {
      words('long');
      const prefix = agent.isXcsh ? 'auto_compaction' : 'compaction';
      later(async () => {
        emit({ type: `${prefix}_start`, reason: 'threshold' });
        await pause(500);
        emit({ type: `${prefix}_end`, reason: 'threshold', result: { summary: 'short' }, aborted: false, willRetry: false });
      });
    },
    /** Reports what it has used only when it has got the next prompt. */
    reportsLate() {
      agent.untilReport = new Promise((resolve) => (agent.onPrompt = resolve));
    },
    asksAtEnd: () => later(() => ask('confirm', { title: 'Done?', message: '' })),
    plans() {
      agent.session.todos = [
        {
          id: 'p',
          name: 'P',
          tasks: [
            { id: 't1', content: 'first', status: 'in_progress' },
            { id: 't2', content: 'second', status: 'abandoned' },
            { id: 't3', content: 'third', status: 'constructor' },
          ],
        },
      ];
      words('planned');
    },
    async plansInSteps() {
      for (const status of ['pending', 'in_progress', 'completed']) {
        agent.session.todos = [{ name: 'P', tasks: [{ content: 'first', status }] }];
        const plan = { toolCallId: `todo_${status}`, toolName: 'todo_write' };
        emit({ type: 'tool_execution_start', ...plan, args: {} });
        const result = { content: text('Planned.'), details: { phases: agent.session.todos, storage: 'session' } };
        emit({ type: 'tool_execution_end', ...plan, result, isError: false });
        await ask('confirm', { title: 'Go on?', message: status });
      }
      emit({ type: 'todo_auto_clear' });
      agent.session.todos = [];
    },
    otherModel() {
      agent.commands.set_model({ provider: 'mock', modelId: 'sub/two' });
      words('another model');
    },
    async command(line) {
      if (line === '/otherModel') agent.commands.set_model({ provider: 'mock', modelId: 'sub/two' });
      if (line === '/losesState') agent.lostStates = 1;
      if (line === '/ask')
        emit({
          type: 'extension_ui_request',
          id: 'n',
          method: 'notify',
          message: (await ask('confirm', { title: 'Command?', message: '' })).confirmed ? 'yes' : 'no',
        });
      else emit({ type: 'extension_ui_request', id: 'n', method: 'notify', message: `ran ${line}` });
    },
    async bash(command, id) {
      const printed = command === 'flood' ? Array(200).fill('x'.repeat(1_000)) : ['out\n'];
      if (agent.isNew) for (const delta of printed) emit({ type: 'bash_execution_update', id, delta });
      await (command === 'outlastsRun' ? new Promise((resolve) => later(() => void setTimeout(resolve, 700))) : pause(100));
      return { output: 'out\n', exitCode: 0, cancelled: false, truncated: false };
    },
    async afterEnd() {
      for (const action of after.splice(0)) await action();
    },
  };
}
