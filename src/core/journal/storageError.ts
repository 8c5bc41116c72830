import { HostError, messageOf } from '../base/errors.js';

/** The error for a disk that doesn't accept data. @param folder where the conversations are saved */
export function toStorageError(thrown: unknown, folder: string): HostError {
  const cause = thrown instanceof HostError ? (thrown.cause ?? thrown) : thrown;
  const systemCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? { systemCode: cause.code } : {};
  return new HostError('storage_failed', { reason: 'not_saved', path: folder, ...systemCode, detail: messageOf(cause) }, { cause });
}
