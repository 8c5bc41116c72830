/** What the host knows of an agent and ACP has no words for, as notices. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionEvent } from '../core/index.js';
import { waitText } from '../text/hintText.js';
import { hostNoticeText } from '../text/noticeText.js';

export class HostNotices {
  /** Told once, however often it is repeated while the agent does not read. */
  #isStalled = false;

  /** @param agent its name for people @returns undefined for what is none of the host's own */
  noticeOf(event: SessionEvent, agent: string): (SessionUpdate & { readonly sessionUpdate: 'notice' }) | undefined {
    if (event.type === 'host_notice') return { sessionUpdate: 'notice', severity: event.severity, ...hostNoticeText(event, agent) };
    if (event.type !== 'wait') return undefined;
    const wasStalled = this.#isStalled;
    this.#isStalled = event.wait?.kind === 'not_reading';
    if (event.wait === null || (wasStalled && this.#isStalled)) return undefined;
    return { sessionUpdate: 'notice', severity: 'info', title: waitText(event.wait, agent, event.at) };
  }
}
