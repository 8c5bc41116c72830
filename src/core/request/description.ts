/** What a person must know to decide a permission, as plain data. Made once, drawn by every front end; `src/text` has the words for the codes. */
import type { ToolCallContent } from '../session/content.js';
import type { PermissionOption } from '../session/userRequest.js';

/** What is asked, in one line. `path`: of the only file. */
export interface RequestSubject {
  readonly code: 'run' | 'read' | 'edit' | 'create' | 'delete' | 'move' | 'search' | 'think' | 'fetch' | 'send' | 'switch_mode' | 'other';
  readonly params: { readonly path?: ShownPath; readonly files: number };
}

/** `target`: where a symbolic link takes it, absolute. */
export interface OutsidePath {
  readonly path: string;
  readonly target?: string;
}

/** `label`: relative to the session's folder where it lies inside. */
export interface ShownPath {
  readonly path: string;
  readonly label: string;
}

/** A piece of what the request carries, as the agent wrote it. All of them together are the whole request. */
export type RequestPart =
  /** The agent's title. `covered`: the other parts say the same, but for a word. */
  | { readonly type: 'title'; readonly text: string; readonly covered: boolean }
  /** Arguments are quoted as for a shell. */
  | { readonly type: 'command'; readonly text: string }
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'variable'; readonly name: string; readonly text: string }
  | { readonly type: 'stdin'; readonly text: string }
  | { readonly type: 'web'; readonly method: string | undefined; readonly url: string }
  | { readonly type: 'header'; readonly name: string; readonly text: string }
  | { readonly type: 'body'; readonly text: string }
  | { readonly type: 'move'; readonly from: ShownPath; readonly to: ShownPath }
  | ({ readonly type: 'path'; readonly line: number | undefined } & ShownPath)
  | ({ readonly type: 'diff'; readonly change: Extract<ToolCallContent, { type: 'diff' }> } & ShownPath)
  /** The agent's text. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'attachment'; readonly kind: 'image' | 'audio' | 'link' | 'file' | 'terminal' | 'other'; readonly text: string }
  /** A member of the input that is none of the above. `name` is empty where the input itself is no object. */
  | { readonly type: 'argument'; readonly name: string; readonly text: string };

/** What the host sees that makes a second look worthwhile. It sees words, not what they do: none of them is no promise. */
export type RequestRisk =
  | { readonly code: 'outside_folder'; readonly params: { readonly paths: readonly OutsidePath[] } }
  | { readonly code: 'network' | 'deletes' | 'several_commands' | 'hidden_characters' };

export interface PermissionDescription {
  readonly subject: RequestSubject;
  readonly parts: readonly RequestPart[];
  readonly risks: readonly RequestRisk[];
  /** By kind, so that the same place always means the same; those of one kind in the agent's order. */
  readonly options: readonly PermissionOption[];
  /** Several ways to allow once: which of them is not said by their kind. */
  readonly isQuestion: boolean;
}
