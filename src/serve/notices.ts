/** Shows as notices what the host knows about an agent and ACP has no update for. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { SessionEvent } from '../core/index.js';
import { waitText } from '../text/hintText.js';
import { hostNoticeText } from '../text/noticeText.js';

export class HostNotices {
  /** Reported once, although the event is repeated while the agent does not read. */
  #isStalled = false;

  /**
   * @param agent its name for users
   * @returns undefined for events that are not the host's own
   */
  noticeOf(event: SessionEvent, agent: string): (SessionUpdate & { readonly sessionUpdate: 'notice' }) | undefined {
    if (event.type === 'host_notice') return { sessionUpdate: 'notice', severity: event.severity, ...hostNoticeText(event, agent) };
    if (event.type !== 'wait') return undefined;
    const wasStalled = this.#isStalled;
    this.#isStalled = event.wait?.kind === 'not_reading';
    if (event.wait === null || (wasStalled && this.#isStalled)) return undefined;
    return { sessionUpdate: 'notice', severity: 'info', title: waitText(event.wait, agent, event.at) };
  }
}
