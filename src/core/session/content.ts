/**
 * Content of prompts, messages and tool calls. The shapes are those of MCP's content blocks, which agent protocols share; they are ours, so that
 * no protocol's library decides what is on disk. `_meta` and `annotations` are passed on and never read.
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

export type ContentBlock = TextBlock | ImageBlock | AudioBlock | ResourceLinkBlock | ResourceBlock;

export type ToolCallContent =
  | { readonly type: 'content'; readonly content: ContentBlock; readonly _meta?: Meta | null }
  /** `oldText` absent or `null`: the file is new, or its text is not known. `path` is absolute where the agent says so. */
  | {
      readonly type: 'diff';
      readonly path: string;
      readonly oldText?: string | null;
      readonly newText: string;
      readonly _meta?: Meta | null;
    }
  /** `output`: what it printed so far, with what a terminal would act upon. */
  | { readonly type: 'terminal'; readonly terminalId: string; readonly output?: string; readonly _meta?: Meta | null };

export interface ToolCallLocation {
  readonly path: string;
  /** As the agent counts; ACP does not say from which number. */
  readonly line?: number | null;
  readonly _meta?: Meta | null;
}

export const toolKinds = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'think', 'fetch', 'switch_mode', 'other'] as const;
export type ToolKind = (typeof toolKinds)[number];
