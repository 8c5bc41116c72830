import type { PermissionRequest, PermissionSubject } from '../../../src/core/session/userRequest.js';

/** @param subject what matters in the test; the rest is empty */
export function permissionOf(
  subject: Partial<PermissionSubject>,
  rest: Partial<Omit<PermissionRequest, 'kind' | 'subject'>> = {},
): PermissionRequest {
  return {
    kind: 'permission',
    id: 'r',
    sessionId: 's',
    at: 0,
    options: [],
    ...rest,
    subject: {
      itemId: undefined,
      toolCallId: 'c',
      title: 'Do it',
      toolKind: 'other',
      rawInput: undefined,
      content: [],
      locations: [],
      ...subject,
    },
  };
}
