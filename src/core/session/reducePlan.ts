import type { SessionEvent } from './event.js';
import type { HostNotice } from './hostNotice.js';
import type { ItemsDraft } from './itemsDraft.js';
import type { NoticeSeverity, AgentNotice, Plan, PlanItem, SessionState } from './model.js';

type PlanEvent = Extract<SessionEvent, { type: 'plan' }>;

/** Steps are shown beside the transcript; a plan in Markdown is an item of it, one for each turn in which it changed. */
export function updatePlan(state: SessionState, draft: ItemsDraft, event: PlanEvent, turnId: string | undefined): SessionState {
  const { planId, entries, text, at } = event;
  if (areStepsOfSubagent(event)) return state;
  const index = state.plans.findIndex((plan) => plan.planId === planId);
  const before = state.plans[index];
  const named = planId === undefined ? {} : { planId };
  if (text !== undefined) return withPlan(state, index, { ...named, entries: [], itemId: showText(draft, before, event, text, turnId) });
  if (entries.length > 0) return withPlan(state, index, { ...named, entries });
  if (before === undefined) return state;
  if (isFinished(before)) addFinished(draft, before, at, turnId);
  const item = itemOf(draft, before);
  if (item !== undefined) draft.replace(item.index, { ...item.item, isRemoved: true });
  return { ...state, plans: state.plans.filter((plan) => plan !== before) };
}

/** The steps of a sub-agent are its own matter: its card shows what it does. They change no plan. */
export function areStepsOfSubagent({ subagentId, entries }: PlanEvent): boolean {
  return subagentId !== undefined && entries.length > 0;
}

/** Turns finished plans into notices, so that they can still be read. Unfinished ones stay, because they show what is left. */
export function leaveFinished(plans: readonly Plan[], draft: ItemsDraft, at: number, turnId: string | undefined): readonly Plan[] {
  if (!plans.some(isFinished)) return plans;
  for (const plan of plans) if (isFinished(plan)) addFinished(draft, plan, at, turnId);
  return plans.filter((plan) => !isFinished(plan));
}

export function isFinished({ entries }: Pick<Plan, 'entries'>): boolean {
  return entries.length > 0 && entries.every(({ status }) => status === 'completed');
}

function withPlan(state: SessionState, index: number, plan: Plan): SessionState {
  return { ...state, plans: index < 0 ? [...state.plans, plan] : state.plans.with(index, plan) };
}

/** @returns the id of the item */
function showText(
  draft: ItemsDraft,
  before: Plan | undefined,
  event: PlanEvent,
  text: PlanItem['text'],
  turnId: string | undefined,
): string {
  const known = itemOf(draft, before);
  if (known !== undefined && known.item.turnId === turnId) {
    draft.replace(known.index, { ...known.item, text });
    return known.item.id;
  }
  const id = `p${draft.length}`;
  const inside = event.subagentId === undefined ? {} : { subagentId: event.subagentId };
  draft.append({ kind: 'plan', id, planId: event.planId, text, isRemoved: false, turnId, ...inside, at: event.at });
  return id;
}

function itemOf(draft: ItemsDraft, plan: Plan | undefined): { readonly index: number; readonly item: PlanItem } | undefined {
  const index = plan?.itemId === undefined ? -1 : draft.indexOf(plan.itemId);
  const item = draft.items[index];
  return item?.kind === 'plan' ? { index, item } : undefined;
}

function addFinished(draft: ItemsDraft, { entries }: Plan, at: number, turnId: string | undefined): void {
  const notice: HostNotice = { code: 'plan_finished', params: { entries: entries.map(({ content }) => content) } };
  addNotice(draft, { at, severity: 'info' }, notice, turnId);
}

export function addNotice(
  draft: ItemsDraft,
  { severity, at }: { readonly severity: NoticeSeverity; readonly at: number },
  what: AgentNotice | HostNotice,
  turnId: string | undefined,
  subagentId?: string,
): void {
  const id = `n${draft.length}`;
  draft.append({ kind: 'notice', id, severity, ...what, turnId, ...(subagentId === undefined ? {} : { subagentId }), at });
}
