// Runs each prompt as a command in a terminal of its host, and shows the terminal in a tool call. Says what the terminal returned at the end.
import { request, say, serve, update } from './wire.mjs';

let calls = 0;
serve({
  'session/prompt': async ({ sessionId, prompt }) => {
    const command = prompt[0].text;
    const toolCallId = `call${++calls}`;
    update(sessionId, {
      sessionUpdate: 'tool_call',
      toolCallId,
      title: command,
      kind: 'execute',
      status: 'in_progress',
      rawInput: { command },
    });
    const { terminalId } = await request('terminal/create', { sessionId, command });
    const terminal = { sessionId, terminalId };
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, content: [{ type: 'terminal', terminalId }] });
    const exit = await request('terminal/wait_for_exit', terminal);
    const { output, truncated, exitStatus } = await request('terminal/output', terminal);
    await request('terminal/release', terminal);
    const status = exit.exitCode === 0 ? 'completed' : 'failed';
    update(sessionId, { sessionUpdate: 'tool_call_update', toolCallId, status, content: [{ type: 'terminal', terminalId }] });
    const gone = await request('terminal/output', terminal).catch(({ code }) => code);
    say(sessionId, JSON.stringify({ exit, output, truncated, exitStatus, gone }));
    return { stopReason: 'end_turn' };
  },
});
