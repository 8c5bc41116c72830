/** Parses the handshake. Source: ACP v1, `InitializeResponse` of schema/v1/schema.json (SDK 2.4.0). */
import type { AgentCapabilities, AuthMethod, InitializeResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import { isFields, itemParser, listOf, meta, orDefault, orNull } from './lenient.js';

const flag = orDefault(z.boolean(), false);
const marker = orNull(z.record(z.string(), z.unknown()));

export const agentCapabilities: z.ZodMiniType<AgentCapabilities> = z.looseObject({
  loadSession: flag,
  promptCapabilities: orDefault(z.looseObject({ image: flag, audio: flag, embeddedContext: flag, _meta: meta }), {}),
  mcpCapabilities: orDefault(z.looseObject({ http: flag, sse: flag, _meta: meta }), {}),
  sessionCapabilities: orDefault(
    z.looseObject({ list: marker, delete: marker, resume: marker, close: marker, additionalDirectories: marker, _meta: meta }),
    {},
  ),
  auth: orDefault(z.looseObject({ logout: marker, _meta: meta }), {}),
  _meta: meta,
});

const authBase = { id: z.string(), name: z.string(), description: orNull(z.string()), _meta: meta };

const terminalAuth = z.looseObject({
  ...authBase,
  type: z.literal('terminal'),
  args: orDefault(z.array(z.string()), []),
  env: orDefault(z.record(z.string(), z.string()), {}),
});
const agentAuth = z.looseObject(authBase);

/**
 * The type `terminal` is special; everything else, including the removed `env_var`, is handled by the agent (RFD auth-methods, 2026-07-27).
 * An invalid terminal method is dropped, because it must never be passed to `authenticate`.
 */
const parseAuthMethod = (value: unknown): AuthMethod | undefined =>
  isFields(value) && value['type'] === 'terminal' ? itemParser<AuthMethod>(terminalAuth)(value) : itemParser<AuthMethod>(agentAuth)(value);

export const initializeResult: z.ZodMiniType<InitializeResponse> = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: orDefault(agentCapabilities, {}),
  authMethods: orDefault(listOf(parseAuthMethod), []),
  agentInfo: orNull(z.looseObject({ name: z.string(), version: z.catch(z.string(), ''), title: orNull(z.string()), _meta: meta })),
  _meta: meta,
});
