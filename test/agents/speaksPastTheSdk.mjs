// Written by hand: what became stable after the schema of the SDK, whose agent() doesn't know it.
import { answer } from './allOfAcp.mjs';
import { request, send, serve } from './wire.mjs';

const methods = ['initialize', 'session/new', 'session/fork', 'session/prompt'];
const notify = (method, params) => send({ method, params });
serve(Object.fromEntries(methods.map((method) => [method, (params) => answer(method, params, { request, notify })])));
