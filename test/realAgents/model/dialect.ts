import type { ServerResponse } from 'node:http';
import type { ModelRequest } from './request.js';
import type { ModelReply } from './reply.js';

/** The API of one provider. */
export interface Dialect {
  /** A `POST` to a path that matches this is a request to the model. */
  readonly route: RegExp;
  /** @param path with its query @throws if the body is not a request of this API */
  parse(body: unknown, path: string): ModelRequest;
  /** @param request as `parse` returned it */
  send(response: ServerResponse, reply: ModelReply, request: ModelRequest): Promise<void>;
}
