// Sends two requests with the same id, which is also the id of the request that it is answering.
import { askPermission, misbehave, send } from './faultBase.mjs';

misbehave(({ id = 0, moment, sessionId }) => {
  if (moment === 'permission') return askPermission(sessionId, 'ask');
  for (const path of ['a', 'b']) send({ id, method: 'fs/read_text_file', params: { sessionId, path } });
});
