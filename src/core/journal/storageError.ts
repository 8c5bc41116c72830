/** Words for a disk that does not take what is to be kept. */
import { HostError, toHostError } from '../base/errors.js';

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow any more',
  EROFS: 'the disk can only be read',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'it is not a folder',
  EISDIR: 'a folder stands where its file should be',
};

/** @param folder where the conversations are kept */
export function toStorageError(thrown: unknown, folder: string): HostError {
  const cause = thrown instanceof HostError ? (thrown.cause ?? thrown) : thrown;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const reason = reasons[code] ?? toHostError(cause).message;
  return new HostError(
    'storage_failed',
    `This conversation cannot be kept on disk for now: ${reason} (${folder}). It goes on, and is written as soon as that is possible; make room, or make the folder writable`,
    {
      cause,
      data: { path: folder, ...(code === '' ? {} : { code }) },
    },
  );
}
