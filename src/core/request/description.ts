/**
 * What a user must know to decide about a permission, as plain data. It is created once and rendered by every front end; `src/text` has the
 * sentences for the codes.
 */
import type { ToolCallContent } from '../session/content.js';
import type { PermissionOption } from '../session/userRequest.js';

/** The subject of the request, for one line. `path` is present if there is only one file. */
export interface RequestSubject {
  readonly code: 'run' | 'read' | 'edit' | 'create' | 'delete' | 'move' | 'search' | 'think' | 'fetch' | 'send' | 'switch_mode' | 'other';
  readonly params: { readonly path?: ShownPath; readonly files: number };
}

/** `target` is where a symbolic link leads, absolute. */
export interface OutsidePath {
  readonly path: string;
  readonly target?: string;
}

/** `label` is relative to the session's folder if the path is inside. */
export interface ShownPath {
  readonly path: string;
  readonly label: string;
}

/** One part of the request, as the agent wrote it. All parts together are the whole request. */
export type RequestPart =
  /** The agent's title. `covered` means that the other parts say the same, except for at most one word. */
  | { readonly type: 'title'; readonly text: string; readonly covered: boolean }
  /** The title of another call that the request may be about. Its parts follow. */
  | { readonly type: 'call'; readonly text: string }
  /** The number of such calls that are not shown. */
  | { readonly type: 'more_calls'; readonly count: number }
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
  /** A member of the input that is none of the above. `name` is empty if the input itself is not an object. */
  | { readonly type: 'argument'; readonly name: string; readonly text: string };

/** A reason to look twice. The host recognizes words, not their effects, so a request without any of these is not necessarily safe. */
export type RequestRisk =
  | { readonly code: 'outside_folder'; readonly params: { readonly paths: readonly OutsidePath[] } }
  /** `paths` have letters of several alphabets, or of another one than the session's folder, which may look the same. */
  | { readonly code: 'lookalike_letters'; readonly params: { readonly paths: readonly string[] } }
  /** `paths` are named like files that hold secrets. */
  | { readonly code: 'secrets'; readonly params: { readonly paths: readonly string[] } }
  | { readonly code: 'network' | 'deletes' | 'several_commands' | 'hidden_characters' };

/** A permission in parts that together have every word of the request. */
export interface PermissionDescription {
  readonly subject: RequestSubject;
  readonly parts: readonly RequestPart[];
  readonly risks: readonly RequestRisk[];
  /** Sorted by kind, so that the same position always means the same; options of one kind stay in the agent's order. */
  readonly options: readonly PermissionOption[];
  /** There are several options to allow once, and their kind does not tell them apart. */
  readonly isQuestion: boolean;
}
