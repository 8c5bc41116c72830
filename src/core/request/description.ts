/**
 * What a user must know to decide about a permission, as plain data. It is created once and rendered by every front end; `src/text` has the
 * sentences for the codes.
 */
import type { ToolCallContent } from '../session/content.js';
import type { PermissionOption } from '../session/userRequest.js';
import type { ChangeFit, ChangeWay } from './changeFit.js';

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

/** The text of a file, without a byte order mark if an editor has it open. */
export interface FileText {
  /** `null`: there is no such file. */
  readonly text: string | null;
  /** The text is that of an editor, which has not saved it. */
  readonly isUnsaved?: true;
  /** What is saved meanwhile, if that can be shown. */
  readonly saved?: string;
}

/** Where a change is in its file. */
export interface PlacedChange {
  readonly fit: ChangeFit;
  /** It fits the saved text, but not the unsaved one. */
  readonly isInSaved: boolean;
}

/** A file as the request would leave it. */
export interface ProposedFile extends ShownPath {
  /** There is no such file yet. */
  readonly isNew: boolean;
  readonly after: string;
}

export interface DiffPart extends ShownPath {
  readonly type: 'diff';
  readonly change: Extract<ToolCallContent, { type: 'diff' }>;
  /** Absent: `once`. */
  readonly way?: ChangeWay;
  /** Absent if the text of the file is not known. */
  readonly placed?: PlacedChange;
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
  | DiffPart
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
  /** What the files would be. Those that a change does not fit are left out; `path` is absolute. */
  readonly files: readonly ProposedFile[];
  /** The files that the request is about and that have unsaved changes. `path` is absolute. */
  readonly unsaved: readonly ShownPath[];
  /** Sorted by kind, so that the same position always means the same; options of one kind stay in the agent's order. */
  readonly options: readonly PermissionOption[];
  /** There are several options to allow once, and their kind does not tell them apart. */
  readonly isQuestion: boolean;
}

/** The folder to which the paths of a request are related. */
export interface RequestFolder {
  /** The session's folder, absolute. */
  readonly cwd: string;
  /** Returns where a symbolic link leads (node/linkedPath.ts); undefined if the path stays in the folder. */
  readonly behindLinks: (path: string) => string | undefined;
  /**
   * Returns the text of a file; undefined if it can't be shown. Absent if nobody knows the files.
   * @param path absolute
   */
  readonly textOf?: ((path: string) => FileText | undefined) | undefined;
}
