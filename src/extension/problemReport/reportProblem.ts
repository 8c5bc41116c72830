/** "Report a Problem": collects what is known, and opens it as an unsaved text. */
import { arch, release, type } from 'node:os';
import * as vscode from 'vscode';
import type { EngineClient, Redactor } from '../../core/index.js';
import type { OpenConversations } from '../conversation/openConversations.js';
import type { Doctor } from '../doctor/doctor.js';
import { collectFindings } from '../doctor/progress.js';
import { settingsInUse } from '../window/settings.js';
import type { TrafficSources } from '../traffic/sources.js';
import { problemReport, type ReportSection } from './problemReport.js';
import { agentSections, conversationSection, doctorSection, settingsSection, trafficSection, versionSection } from './sections.js';

export interface ProblemReportParts {
  readonly traffic: TrafficSources;
  readonly conversations: OpenConversations;
  readonly doctor: Doctor;
  readonly redactor: Redactor;
  readonly engine: Pick<EngineClient, 'connection'>;
  readonly hostVersion: string;
}

export async function reportProblem(parts: ProblemReportParts): Promise<void> {
  const withConversation = await askForConversation();
  if (withConversation === undefined) return;
  const content = problemReport(await collect(parts, withConversation), parts.redactor);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'markdown', content }), { preview: false });
}

async function askForConversation(): Promise<boolean | undefined> {
  const rows = [
    {
      label: 'Without the Conversation',
      detail: 'Versions, settings, counters, and the kind, time and length of each message',
      withConversation: false,
    },
    {
      label: 'With the Conversation',
      detail: 'Also your messages, the answers, and what the agent read and changed',
      withConversation: true,
    },
  ];
  const choice = await vscode.window.showQuickPick(rows, {
    title: 'Report a Problem',
    placeHolder: 'The report opens in an editor. Nothing is sent.',
  });
  return choice?.withConversation;
}

async function collect(parts: ProblemReportParts, withConversation: boolean): Promise<readonly ReportSection[]> {
  const sections: ReportSection[] = [versionSection(versions(parts)), settingsSection(settingsInUse())];
  const { current } = parts.conversations;
  if (current !== undefined) {
    const { conversation } = current;
    const findings = await collectFindings('Collecting information for the report', (tell, signal) =>
      parts.doctor.look(current, tell, signal),
    );
    sections.push(doctorSection(findings ?? []));
    if (conversation.state.session !== undefined)
      sections.push(conversationSection(conversation.state.session, conversation.state.agent?.label ?? 'the agent', withConversation));
  }
  for (const source of parts.traffic.all.toReversed()) {
    // A report about a lost engine must not fail because of that.
    const known = await Promise.all([source.diagnostics(), source.read()]).catch(() => undefined);
    if (known === undefined) sections.push({ title: source.label, body: 'Not available.' });
    else {
      const [diagnostics, items] = known;
      sections.push(...agentSections(source.label, diagnostics), trafficSection(source.label, items, diagnostics, withConversation));
    }
  }
  return sections;
}

function versions({ hostVersion, engine: { connection } }: ProblemReportParts): Readonly<Record<string, string | undefined>> {
  return {
    'ACP Host': hostVersion,
    engine: connection.state === 'connected' ? `${connection.engine.version}, ${connection.engine.location}` : connection.state,
    [vscode.env.appName]: vscode.version,
    system: `${type()} ${release()}, ${arch()}`,
    Node: process.version,
    where: vscode.env.remoteName ?? 'this machine',
    interface: vscode.env.uiKind === vscode.UIKind.Web ? 'browser' : 'desktop',
  };
}
