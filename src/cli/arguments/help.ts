export const help = `Usage:
  acp-host run [options] PROMPT|-      send a prompt to a coding agent and show its answer
  acp-host chat [options]              keep a conversation open: in the terminal, or by JSON lines with --format json
  acp-host sessions [--format json]    list the sessions that were kept
  acp-host show ID [--format text|json|md]   show one of them as it was seen
  acp-host agents [--format json]      list the known agents and which of them were found
  acp-host doctor [--agent NAME | --command "ARGV"] [--format json]   look for what is in the way of an agent
  acp-host replay TRACE [--process N]  be the agent of a saved trace, on stdin and stdout
  acp-host --help | --version

Options of run and chat:
  --agent NAME            an agent of \`acp-host agents\`; default: agentao if it is installed, else demo
  --command "ARGV"        any other agent: a program and its arguments, run without a shell
  --cwd DIR               the folder in which the agent works; default: this one
  --permission POLICY     ask (default): in the terminal, or by JSON on stdin with --format json; without a terminal it rejects
                          allow: takes the option that allows once, never one that allows for ever
                          reject: takes the option that rejects once
  --answer TEXT           answers every question of the agent with this text
  --ask-timeout SECONDS   closes a permission or a question that nobody answers in this time, as cancelled; default 0: never
  --session ID            takes up the session with this id
  --continue              takes up the newest session of this folder
  --recover context|fresh where the agent does not take the session up: goes on in a new one, which is told what was said, or not
  --resend                run only: sends the prompt once more if its turn was cut; never done otherwise
  --mode ID, --model ID   sets the agent's mode or model first
  --state DIR             where sessions are kept, also for sessions and show; default: ACP_HOST_STATE, else the platform's folder
  --format text|json      json: one event a line, documented in docs/cli.md

PROMPT is a text, or - to read it from stdin. Ctrl+C cancels the turn and waits for its end; a second one kills the agent, and leaves a chat.

Exit codes:
  0 the turn ended               4 the agent wants you to sign in
  1 the turn failed              5 ended by a refusal or a limit
  2 wrong usage                  6 the agent was lost
  3 the agent did not start    130 cancelled
`;
