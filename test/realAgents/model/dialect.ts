import type { ServerResponse } from 'node:http';
import type { ModelRequest } from './request.js';
import type { ModelReply } from './reply.js';

/** How one provider's API is spoken. */
export interface Dialect {
  /** A `POST` to a path that this matches asks the model. */
  readonly route: RegExp;
  /** @param path with its query @throws for a body that is no request of this API */
  parse(body: unknown, path: string): ModelRequest;
  /** @param request as `parse` returned it */
  send(response: ServerResponse, reply: ModelReply, request: ModelRequest): Promise<void>;
}
