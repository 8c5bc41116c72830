/**
 * The content of prompts, messages and tool calls. It has the shapes of MCP's content blocks, which agent protocols share. The types are
 * our own, so that no library of a protocol determines what is on disk. `_meta` and `annotations` are passed on and never read.
 */
export type Meta = Readonly<Record<string, unknown>>;

interface Annotated {
  readonly annotations?: Meta | null;
  readonly _meta?: Meta | null;
}

export interface TextBlock extends Annotated {
  readonly type: 'text';
  readonly text: string;
}

export interface ImageBlock extends Annotated {
  readonly type: 'image';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly uri?: string | null;
}

export interface AudioBlock extends Annotated {
  readonly type: 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export interface ResourceLinkBlock extends Annotated {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly title?: string | null;
  readonly description?: string | null;
  readonly mimeType?: string | null;
  /** In bytes. */
  readonly size?: number | null;
}

interface ResourceBase {
  readonly uri: string;
  readonly mimeType?: string | null;
  readonly _meta?: Meta | null;
}

/** `blob` is base64. */
export type EmbeddedResource = (ResourceBase & { readonly text: string }) | (ResourceBase & { readonly blob: string });

export interface ResourceBlock extends Annotated {
  readonly type: 'resource';
  readonly resource: EmbeddedResource;
}

/** A part of a prompt or an answer, by its type. */
export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

/** Returns the texts of a prompt, each on lines of its own: the first one is what the user wrote, and others are what was pasted. */
export function promptText(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Returns the first line that has words, which people begin a message with; what they paste follows. Without words, the whole text. */
export function firstLine(text: string): string {
  return /^.*[\p{L}\p{N}].*$/mu.exec(text)?.[0].trim() ?? text.trim();
}

/** A part of the result of a tool call. */
export type ToolCallContent =
  | { readonly type: 'content'; readonly content: ContentBlock; readonly _meta?: Meta | null }
  /** If `oldText` is absent or `null`, the file is new or its text is unknown. `path` is absolute if the agent follows the protocol. */
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly oldText?: string | null;
      readonly newText: string;
      readonly _meta?: Meta | null;
    }
  /**
   * `output` is what the command has printed so far, including control sequences of the terminal. `runs`: it runs in the host now, which can
   * stop it. That is not saved, because no command outlives its session.
   */
  | {
      readonly type: 'terminal';
      readonly terminalId: string;
      readonly output?: string;
      readonly runs?: true;
      readonly _meta?: Meta | null;
    };

/** A place in a file that a tool call is about. */
export interface ToolCallLocation {
  readonly path: string;
  /** As counted by the agent; ACP does not specify whether the first line is 0 or 1. */
  readonly line?: number | null;
  readonly _meta?: Meta | null;
}

export const toolKinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'] as const;
/** What a tool does. */
export type ToolKind = (typeof toolKinds)[number];
