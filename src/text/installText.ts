import {
  type AgentElsewhere,
  type InstallQuestion,
  type InstallStep,
  type InstallWay,
  type KnownAgent,
  redactedMark,
  Redactor,
  type RegistryEntry,
  revealOnOneLine,
} from '../core/index.js';
import { counted, megabytes } from './sentence.js';

/**
 * Returns the usual command that installs an agent, and the one with pip if there is one: it needs only what most machines have.
 * Call this if it is not known which of them the machine can run.
 */
export function installText({ command, otherCommands = [] }: NonNullable<KnownAgent['install']>): string {
  const withPip = otherCommands.filter((one) => one.startsWith('pip '));
  return [command, ...withPip].map((one) => `\`${one}\``).join(' or ');
}

/** Where an agent is installed from, in a word or two. */
export function sourceWord({ type }: InstallWay): string {
  return { npm: 'npm', python: 'Python', binary: 'download' }[type];
}

/** What would be needed to install an agent, and is missing; no sentence. */
export function needText(needs: 'npm' | 'python'): string {
  return needs === 'npm' ? 'needs Node.js' : 'needs uv or Python 3';
}

/** That the registry doesn't update the agent; no sentence. */
export function quarantineText(reason: string): string {
  return `in quarantine: ${reason}`;
}

/** That the user has the program, but an ACP host can start it only through an adapter; no sentence. */
export function adapterText(label: string): string {
  return `ACP adapter of ${label}, which is installed`;
}

/**
 * What is about to be installed and will be started, as lines without anything hidden. What is ours comes first, and what the publisher says
 * about the agent last.
 */
export function installLines({ license, website, description, quarantine }: RegistryEntry, way: InstallWay): readonly string[] {
  const program = way.type === 'binary' ? way.program : (way.program ?? way.name);
  return [
    ...wayLines(way),
    `Starts with: ${[program, ...way.args].map(quoted).join(' ')}`,
    ...Object.entries(way.env).map(([name, value]) => `Sets: ${name}=${quoted(value)}`),
    ...(quarantine === undefined ? [] : [`In quarantine: the tests of the registry failed with this or a later version (${quarantine})`]),
    `License: ${license ?? 'not named by the registry'}`,
    ...(website === undefined ? [] : [`Website: ${website}`]),
    ...(description === undefined ? [] : [`Description: ${description}`]),
  ].map(revealOnOneLine);
}

export function hostName({ host }: AgentElsewhere): string {
  return { zed: 'Zed', jetbrains: 'JetBrains IDEs', vscode: 'VS Code settings' }[host];
}

/** What another application starts as an agent, without secrets and without anything hidden. */
export function elsewhereLines(agent: AgentElsewhere): readonly string[] {
  const redactor = redactorFor(agent);
  const variables = Object.entries(agent.env).map(([name, value]) => {
    const shown: readonly unknown[] = Object.values(redactor.json({ [name]: value }) ?? {});
    return `Sets: ${name}=${quoted(String(shown[0]))}`;
  });
  return [`Starts with: ${commandWithoutSecrets(agent).map(quoted).join(' ')}`, ...variables].map(revealOnOneLine);
}

/** The command and its arguments. */
export function commandWithoutSecrets(agent: AgentElsewhere): readonly string[] {
  return redactorFor(agent).command([agent.command, ...agent.args]);
}

function redactorFor({ env }: AgentElsewhere): Redactor {
  const redactor = new Redactor();
  redactor.addEnvironment(env);
  return redactor;
}

/** So that its end can be seen. */
export function quoted(word: string): string {
  return word === redactedMark || /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

function wayLines(way: InstallWay): readonly string[] {
  switch (way.type) {
    case 'npm':
      return [`From: npm, the package ${way.name}@${way.version}`, `Runs: npm install ${way.name}@${way.version} --ignore-scripts`];
    case 'python':
      return [
        `From: the Python Package Index, the package ${way.name}==${way.version}`,
        `Runs: the installation of ${way.name}==${way.version} with uv or pip. Packages without a prebuilt wheel run their build scripts, if you agree`,
      ];
    case 'binary':
      return [
        `From: ${way.url}`,
        way.sha256 === undefined
          ? "Not verified: the publisher provides no hash. You'll be asked again after the download"
          : `Verified by: SHA-256 ${way.sha256}`,
      ];
  }
}

/** What happens during an installation, in a few words. */
export function stepText(step: InstallStep): string {
  switch (step.type) {
    case 'downloading':
      return step.totalBytes === undefined
        ? `Downloading: ${megabytes(step.bytes)}`
        : `Downloading: ${megabytes(step.bytes)} of ${megabytes(step.totalBytes)}`;
    case 'unpacking':
      return 'Unpacking';
    case 'running':
      return `Running ${step.tool}${step.line === undefined ? '' : `: ${revealOnOneLine(step.line.slice(0, 100))}`}`;
  }
}

/** A question in the middle of an installation: in one sentence, what there is to know, and the word for yes. */
export function questionText(
  question: InstallQuestion,
  agent: string,
): { readonly question: string; readonly detail: string; readonly yes: string } {
  switch (question.type) {
    case 'unverified':
      return {
        question: `Install ${agent} without verifying the download?`,
        detail: `${revealOnOneLine(question.url)}\n${megabytes(question.bytes)}, SHA-256 ${question.sha256}\n\nThe publisher provides no hash to compare. If you agree, ACP Host remembers this one, and refuses another file from this address.`,
        yes: 'Install',
      };
    case 'scripts':
      return {
        question: `Let ${counted(question.packages.length, 'package')} of ${agent} run install scripts?`,
        detail: `${revealOnOneLine(question.packages.join(', '))}\n\nSuch scripts build or download what the package needs, with your permissions. Without them, the agent is installed, but may not start.`,
        yes: 'Run Scripts',
      };
    case 'builds':
      return {
        question: `Let packages of ${agent} run build scripts?`,
        detail: `${revealOnOneLine(question.package)}, or packages that it depends on\n\nIt could not be installed from prebuilt wheels alone. Build scripts run with your permissions. Without them, the agent is not installed.`,
        yes: 'Run Scripts',
      };
  }
}
