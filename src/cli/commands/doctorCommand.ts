/** `acp-host doctor`: diagnoses an agent. */
import { examine, type Finding, type FindingState, journalFolder, Redactor, stateFolder, stripControls } from '../../core/index.js';
import { findingText, verdictText } from '../../text/findingText.js';
import type { RequestOf } from '../arguments/parseArguments.js';
import { ExitCode } from '../output/exitCode.js';
import { type Paint, paintFor } from '../output/terminalText.js';
import { type DoctorLine, schemaVersion } from '../output/reportSchema.js';
import { agentName, chooseAgent } from '../system/agents.js';
import { askEngine } from '../system/engine.js';
import { existingFolder } from '../system/files.js';
import { type Io, isColored, writeJson } from '../system/io.js';
import { clientInfo } from '../system/ownPackage.js';

/**
 * @returns `failed` if a problem prevents the use of the agent
 * @throws HostError `usage`, `agent_not_found`
 */
export async function runDoctor({ agent, format, state, opensSession, ...request }: RequestOf<'doctor'>, io: Io): Promise<number> {
  const cwd = await existingFolder(request.cwd ?? '.');
  const { definition } = await chooseAgent(agent, io, cwd);
  const examination = {
    host: {
      agent: definition,
      cwd,
      terminalAuth: true,
      baseEnv: io.env,
      redactor: new Redactor(),
      clientInfo: clientInfo(),
    },
    opensSession,
    storageDirectory: journalFolder(stateFolder(state, io)),
    engine: () => askEngine(state, io, async (client) => client?.call('summary', {})),
  };
  const paint = paintFor(isColored(io.stdout, io.env));
  const findings: Finding[] = [];
  for await (const finding of examine(examination)) {
    findings.push(finding);
    if (format === 'text') io.stdout.write(findingBlock(finding, paint));
  }
  if (format === 'json') writeJson(io.stdout, doctorLine(definition.id, findings));
  else io.stdout.write(`\n${verdictText(findings)}\n`);
  return findings.some((finding) => finding.state === 'problem') ? ExitCode.failed : ExitCode.ended;
}

function doctorLine(agent: string, findings: readonly Finding[]): DoctorLine {
  return {
    schemaVersion,
    agent: agentName(agent),
    findings: findings.map((finding) => ({ check: finding.check, state: finding.state, ...findingText(finding, 'terminal') })),
  };
}

const marks: Readonly<Record<FindingState, (paint: Paint) => string>> = {
  ok: (paint) => paint.green('✓'),
  note: (paint) => paint.dim('·'),
  warning: (paint) => paint.yellow('!'),
  problem: (paint) => paint.red('✗'),
};

function findingBlock(finding: Finding, paint: Paint): string {
  const { title, detail, advice } = findingText(finding, 'terminal');
  const indented = (text: string): string =>
    text
      .split('\n')
      .map((line) => `    ${line}\n`)
      .join('');
  return [
    `${marks[finding.state](paint)} ${stripControls(title)}\n`,
    detail === undefined ? '' : paint.dim(indented(stripControls(detail))),
    advice === undefined ? '' : indented(`→ ${advice}`),
  ].join('');
}
