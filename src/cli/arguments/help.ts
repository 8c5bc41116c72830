import { codeTaskKinds, defaultProtocol, protocolNames } from '../../core/index.js';
import { formats, recoveryChoices, showFormats } from './request.js';

export const help = `Usage:
  acp-host run [options] PROMPT|-      send a prompt to a coding agent and show its answer
  acp-host chat [options]              keep a conversation open: in the terminal, or in JSON lines with --format json
  acp-host sessions [--format ${formats.join('|')}]   list saved sessions
  acp-host show ID [--format ${showFormats.join('|')}]   print a saved session
  acp-host agents [--format ${formats.join('|')}]   list known agents and whether they are installed
  acp-host doctor [--agent NAME | --command "ARGV" | --url URL] [--cwd DIR] [--session] [--format ${formats.join('|')}]   diagnose an agent
  acp-host login [--agent NAME | --command "ARGV"] [--method ID] [--cwd DIR]   sign in to an agent
  acp-host serve [--agent NAME | --command "ARGV" | --url URL] [--cwd DIR] [--sign-in ID]   offer an agent as an ACP agent on stdin and stdout
  acp-host replay TRACE [--process N]  replay a trace as an agent on stdin and stdout
  acp-host --help | --version

Options of run and chat:
  --agent NAME            an agent of \`acp-host agents\`, which marks the default
  --command "ARGV"        any other agent: a program and its arguments, run without a shell
  --url URL               an agent that is a server: its ws:// or wss:// URL; ws:// only to this machine
  --protocol NAME         the protocol of the agent of --command or --url: ${protocolNames().join(', ')}; default: ${defaultProtocol}
  --key-env NAME          the environment variable that holds the API key of the server
  --pin sha256/BASE64     trust the server with this public key, even if the system does not trust its certificate
  --cwd DIR               the folder in which the agent works; default: the current folder
  --permission POLICY     ask (default): ask in the terminal, or in JSON on stdin with --format json; in text without a terminal, reject
                          allow: choose the option that allows once, never one that allows always
                          reject: choose the option that rejects once
  --answer TEXT           answer the agent's questions with this text
  --ask-timeout SECONDS   reject a permission request, or cancel a question, that is not answered in time; default: 0, no limit
  --start-timeout SECONDS how long the agent may take to respond to its start, without writing to stderr; default: 30; 0: no limit
  --session ID            resume the session with this ID
  --continue              resume the most recent session of the current folder
  --take-over             if a turn of the session is running in the editor or another terminal, stop it and continue here
  --recover ${recoveryChoices.join('|')} if the agent can't resume the session, continue in a new one, with or without the history
  --task NAME             run only, in place of a prompt: one of the agent's tasks on code: ${codeTaskKinds.join(', ')}
  --file PATH, --range L1:C1-L2:C2   the code for --task; lines and columns count from 1, the end is exclusive
  --language LANGUAGE     en or zh, for the answer to --task
  --selected-text-as FORM string or object: the form in which optimize and fix send the code; default: string
  --resend                run only: resend the prompt, once, if its turn was interrupted
  --mode ID, --model ID   set the agent's mode or model first
  --set ID=VALUE          set any other option of the agent first; can be repeated
  --state DIR             the folder for saved sessions, also for sessions, show and doctor; default: ACP_HOST_STATE, else the platform's default
  --format ${formats.join('|')}      json: one event per line, documented in docs/cli.md

PROMPT is a text, or - to read it from stdin. Ctrl+C cancels the turn and waits for its end; pressed again, it kills the agent and exits.

Exit codes:
  0 the turn ended               4 the agent requires you to sign in, or refuses the key
  1 the turn or output failed    5 the turn ended with a refusal or at a limit
  2 invalid usage                6 the agent exited unexpectedly, or the connection was lost
  3 the agent did not start, or the connection to it failed   130 canceled
`;
