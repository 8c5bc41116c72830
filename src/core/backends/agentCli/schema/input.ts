/**
 * The messages to Agent-CLI. Source: docs/remote_protocol.md of agent-cli at 4a832d7, and its source at 392ac0a; `stream` is the member
 * whose name is missing in the document.
 */
export type Input =
  | { readonly Text: string }
  | { readonly Image: { readonly data: string; readonly mime_type: string } }
  | { readonly File: { readonly filename: string; readonly content_type: string; readonly data: string } }
  | { readonly Multi: readonly Input[] }
  | { readonly Instruction: { readonly command: string; readonly parameters: unknown } }
  | {
      readonly ToolConfirmationResponse: {
        readonly name: string;
        readonly arguments: unknown;
        readonly approved: boolean;
        readonly reason?: string;
      };
    }
  | { readonly TurnConfirmationResponse: { readonly confirmed: boolean; readonly reason?: string } }
  | 'GetCommands'
  | 'Interrupt'
  | 'Regenerate'
  | 'ClearContext';

/** Overrides the server's own configuration; a server that does not support a member ignores it. */
export interface RequestConfig {
  readonly ask_before_tool_execution?: boolean;
  readonly max_tokens?: number;
  readonly max_context_num?: number;
  readonly prompt?: string;
}

export interface Request {
  readonly request_id: string;
  readonly input: Input;
  readonly config?: RequestConfig;
  readonly stream: boolean;
  readonly use_tools: boolean;
}

export function inputName(input: unknown): string | undefined {
  if (typeof input === 'string') return input;
  return typeof input === 'object' && input !== null ? Object.keys(input)[0] : undefined;
}
