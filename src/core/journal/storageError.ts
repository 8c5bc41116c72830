import { HostError, messageOf } from '../base/errors.js';

/** The error for a folder of saved conversations that can't be listed. */
export function toFolderError(cause: unknown, directory: string): HostError {
  return new HostError('storage_failed', { reason: 'folder_unreadable', path: directory, detail: messageOf(cause) }, { cause });
}

/** The error for a disk that doesn't accept data. @param folder where the conversations are saved @param reason names what is not saved */
export function toStorageError(thrown: unknown, folder: string, reason: 'not_saved' | 'unsent_not_saved' = 'not_saved'): HostError {
  const cause = thrown instanceof HostError ? (thrown.cause ?? thrown) : thrown;
  const systemCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? { systemCode: cause.code } : {};
  return new HostError('storage_failed', { reason, path: folder, ...systemCode, detail: messageOf(cause) }, { cause });
}
