/** ACP `terminal/*`: the agent's commands run in the host, which shows their output while they run. */
import { HostError } from '../../../base/errors.js';
import { unlessAborted } from '../../../base/deadline.js';
import { isFolder } from '../../../node/files.js';
import type { CommandTerminal, TerminalExit } from '../../../process/commandTerminal.js';
import { ErrorCode, RpcError } from '../../../rpc/peer.js';
import { incoming } from '../schema/methods.js';
import { parseCreateTerminal, parseTerminalId } from '../schema/requests.js';
import { SessionTerminals } from '../sessionTerminals.js';
import { type AcpFeature, type FeatureContext, openSession } from './feature.js';

export const terminals: AcpFeature = {
  // The agent may run its commands itself, and reports what they print in the `_meta` of their tool calls (`toolCards`). With both names, an
  // agent says whether it adds to the output or replaces it.
  capabilities: ({ isRelayed }) => ({
    terminal: true,
    ...(!isRelayed && { _meta: { terminal_output: true, terminal_output_delta: true } }),
  }),
  requests: {
    [incoming.createTerminal]: createTerminal,
    [incoming.terminalOutput]: async (context, params) => {
      const { output, exit } = (await terminalOf(context, params)).terminal;
      const { text, isTruncated } = output;
      return { output: text, truncated: isTruncated, ...(exit === undefined ? {} : { exitStatus: exitStatus(exit) }) };
    },
    [incoming.waitForTerminalExit]: async (context, params, signal) => {
      const { terminal } = await terminalOf(context, params);
      return exitStatus(await unlessAborted(terminal.exited, signal, canceled));
    },
    [incoming.killTerminal]: async (context, params) => {
      await (await terminalOf(context, params)).terminal.end();
      return {};
    },
    [incoming.releaseTerminal]: async (context, params) => {
      const { all, terminalId } = await terminalOf(context, params);
      all.release(terminalId);
      return {};
    },
  },
};

async function createTerminal(context: FeatureContext, params: unknown): Promise<unknown> {
  const request = parseCreateTerminal(params);
  const session = await openSession(context, request.sessionId);
  if (session.cancelling) throw new RpcError(ErrorCode.requestCancelled, 'The turn is canceled');
  const { command, args, env, cwd = session.cwd, outputByteLimit } = request;
  session.terminals ??= new SessionTerminals(context.environment, context.log, (id, text, exit) => session.reportTerminal(id, text, exit));
  if (!(await isFolder(cwd))) throw new RpcError(ErrorCode.invalidParams, `Folder not found: ${cwd}`);
  try {
    const terminalId = await session.terminals.create({ command, args, env, cwd, outputByteLimit });
    session.map.tools.terminals.begin(terminalId);
    return { terminalId };
  } catch (error) {
    throw error instanceof HostError ? answerTo(error, command) : error;
  }
}

function answerTo({ code, params }: HostError, command: string): RpcError {
  if (code === 'agent_not_found') return new RpcError(ErrorCode.invalidParams, `Command not found: ${command}`);
  if (code === 'queue_full') return new RpcError(ErrorCode.internalError, 'The session has too many terminals');
  return new RpcError(ErrorCode.internalError, `Could not start ${command}`, params);
}

async function terminalOf(
  context: FeatureContext,
  params: unknown,
): Promise<{ readonly all: SessionTerminals; readonly terminalId: string; readonly terminal: CommandTerminal }> {
  const request = parseTerminalId(params);
  const { terminals: all } = await openSession(context, request.sessionId);
  const terminal = all?.get(request.terminalId);
  if (all === undefined || terminal === undefined)
    throw new RpcError(ErrorCode.resourceNotFound, `Resource not found: ${request.terminalId}`);
  return { all, terminalId: request.terminalId, terminal };
}

function canceled(): RpcError {
  return new RpcError(ErrorCode.requestCancelled, 'The request was canceled');
}

function exitStatus({ code, signal }: TerminalExit): { readonly exitCode: number | null; readonly signal: string | null } {
  return { exitCode: code, signal };
}
