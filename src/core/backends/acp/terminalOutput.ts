/**
 * Collects what the agent's own terminals print. Some agents report it in the `_meta` of tool calls, even to a client that offers no
 * terminals, and report the output and exit code of a command in no other form. Measured with three agents, 2026-11.
 */
import * as z from 'zod/mini';
import type { Meta, ToolCallContent, ToolExit } from '../../session/model.js';
import { appendOutput, noOutput, type OutputText, showOutput } from './outputText.js';
import { itemParser } from './schema/lenient.js';

const limits = { headChars: 16_000, tailChars: 64_000, cutChars: 32_000 };
/** Beyond this number, the oldest one is dropped. */
const terminalLimit = 200;

/** If it is absent, the report is about the terminal of the tool call itself. */
const terminalIdField = { terminal_id: z.catch(z.optional(z.string()), undefined) };
const parseOutput = itemParser(z.looseObject({ ...terminalIdField, data: z.string() }));
const parseExit = itemParser(
  z.looseObject({
    ...terminalIdField,
    exit_code: z.catch(z.optional(z.nullable(z.int())), undefined),
    signal: z.catch(z.optional(z.nullable(z.string())), undefined),
  }),
);

interface Terminal {
  readonly output: OutputText;
  readonly exit: ToolExit | undefined;
}

/** What an update reported about a terminal. */
export interface TerminalReport {
  readonly terminalId: string;
  readonly exit: ToolExit | undefined;
  /** Whether the terminal has printed anything. */
  readonly hasOutput: boolean;
}

export class AgentTerminals {
  readonly #terminals = new Map<string, Terminal>();

  /** @returns undefined if the update does not mention a terminal */
  record(meta: Meta, toolCallId: string): TerminalReport | undefined {
    const output = parseOutput(meta['terminal_output']);
    const delta = parseOutput(meta['terminal_output_delta']);
    const exit = parseExit(meta['terminal_exit']);
    const report = output ?? delta ?? exit;
    if (report === undefined) return undefined;
    const terminalId = report.terminal_id ?? toolCallId;
    const before = this.#terminals.get(terminalId) ?? { output: noOutput, exit: undefined };
    // Both are appended; which name is used depends on the agent.
    const added = `${output?.data ?? ''}${delta?.data ?? ''}`;
    const after = {
      output: added === '' ? before.output : appendOutput(before.output, added, limits),
      exit: exit === undefined ? before.exit : toExit(exit),
    };
    this.#terminals.set(terminalId, after);
    const [oldest] = this.#terminals.keys();
    if (this.#terminals.size > terminalLimit && oldest !== undefined) this.#terminals.delete(oldest);
    return { terminalId, exit: exit === undefined ? undefined : after.exit, hasOutput: after.output !== noOutput };
  }

  /** Returns the content with the output of its terminals. */
  fill(content: readonly ToolCallContent[]): readonly ToolCallContent[] {
    return content.map((part) => {
      const terminal = part.type === 'terminal' ? this.#terminals.get(part.terminalId) : undefined;
      return part.type === 'terminal' && terminal !== undefined ? { ...part, output: showOutput(terminal.output) } : part;
    });
  }
}

function toExit({
  exit_code: code,
  signal,
}: {
  readonly exit_code?: number | null | undefined;
  readonly signal?: string | null | undefined;
}): ToolExit {
  return { ...(code == null ? {} : { code }), ...(signal == null ? {} : { signal }) };
}
