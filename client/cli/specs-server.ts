import type { CommandSpec } from './command.ts'
import { REMOTE } from './help.ts'

const thread = {
  value: 'THREAD',
  short: 't',
  about: 'Which plan. PLANROOM_THREAD.',
  completes: 'thread',
} as const

export const serverCommands: readonly CommandSpec[] = [
  {
    name: 'serve',
    summary: 'run a server',
    places: [],
    options: {
      port: {
        short: 'p',
        value: 'PORT',
        about: 'Where to listen; 0 takes any free port. PORT; 4080 if neither is set.',
      },
      host: { value: 'HOST', about: 'The address to listen on. HOST; 127.0.0.1 if neither is set.' },
      data: {
        short: 'd',
        value: 'DIR',
        about: 'Where the plans are. PLANROOM_DATA_DIR; ./data if neither is set.',
        completes: 'directory',
      },
    },
    about: [
      'Serves plans until it is told to end, by Ctrl-C or SIGTERM: then it finishes what was begun and ends with 0. All other settings come from the environment; the README has the list. It logs lines of JSON.',
      'Without PLANROOM_SECRET or PLANROOM_JWKS_URL the server is open to everybody who reaches it, and so listens on this machine only.',
      'One server owns a data directory: a second one refuses to start and says why.',
    ],
    examples: [
      ['A server for yourself', 'planroom serve'],
      ['Another port, other plans', 'planroom serve --port 4100 --data ~/plans'],
      ['For others, with tokens', 'PLANROOM_SECRET=$(openssl rand -hex 32) planroom serve --host 0.0.0.0'],
    ],
    load: () => import('./commands/serve.ts'),
  },
  {
    name: 'token',
    summary: 'make a token for somebody',
    places: [],
    options: {
      name: { short: 'n', value: 'NAME', about: 'Who it is for, as others see it.' },
      role: {
        value: 'ROLE',
        about: 'viewer: follow; editor (the default): change as well; admin: delete and revoke as well.',
        completes: ['viewer', 'editor', 'admin'],
      },
      thread: {
        short: 't',
        value: 'PATTERN',
        multiple: true,
        about: "Threads it is good for, such as 'demo-*'; may be repeated. All of them if it is left out.",
      },
      kind: { value: 'KIND', about: 'agent (the default) or human.', completes: ['agent', 'human'] },
      expires: {
        value: 'TIME',
        about:
          'How long it is good for: a number with m, h or d. 30d, or as much as the server takes, if it is left out.',
      },
      subject: { value: 'ID', about: 'The id of the actor, where names may repeat; the name if it is left out.' },
    },
    about: [
      'Prints a token that is signed with PLANROOM_SECRET, which must be that of the server. How to revoke it is told on standard error, so that the token alone can be taken into a variable.',
      'No server has to run for this.',
    ],
    examples: [
      ['For an agent, on some plans, for a day', "planroom token --name agent-a --thread 'demo-*' --expires 1d"],
      ['Into a variable', 'export PLANROOM_TOKEN=$(planroom token --name ada --kind human)'],
    ],
    load: () => import('./commands/token.ts'),
  },
  {
    name: 'mcp',
    summary: 'a plan as an MCP server on standard input and output',
    places: [],
    options: {
      thread,
      ...REMOTE,
      name: { short: 'n', value: 'NAME', about: 'Who calls. PLANROOM_NAME.' },
      id: { value: 'ID', about: 'The id of the caller, where names may repeat.' },
      dialect: {
        value: 'DIALECT',
        about: 'Which tools: outline (the default), tasks or checklist.',
        completes: ['outline', 'tasks', 'checklist'],
      },
    },
    about: [
      'For hosts that speak MCP over standard input and output and nothing else: every message is carried to the server over HTTP and back. Whatever goes wrong is told on standard error. It ends when its input does. It may be started before the server: it greets the host, and connects when the server comes.',
      'Hosts that speak HTTP need none of this: the address is http://127.0.0.1:4080/threads/THREAD/mcp.',
    ],
    examples: [
      ['As the command of a server in the settings of a host', 'planroom mcp --thread holiday --name agent-a'],
      ['With the tools for tasks', 'planroom mcp --thread holiday --dialect tasks'],
    ],
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'demo',
    summary: 'three agents and a person share a plan, for a minute',
    places: [],
    options: {
      url: REMOTE['url'] ?? thread,
      seconds: { value: 'N', about: 'How long it takes. PLANROOM_DEMO_SECONDS; 60 if neither is set.' },
    },
    about: [
      'Three agents call tools, a person goes offline, edits and comes back, and a watcher looks on, all on one new plan of a running server. At the end all copies are compared: 0 if they are equal, 1 if not.',
    ],
    examples: [['In half a minute', 'planroom demo --seconds 30']],
    load: () => import('./commands/demo.ts'),
  },
  {
    name: 'completion',
    summary: 'completion for a shell',
    places: [{ name: 'SHELL', about: 'bash or zsh.', completes: ['bash', 'zsh'] }],
    options: {},
    about: [
      'Prints what makes the shell complete commands, options, threads (of the server that PLANROOM_URL names), tools and files.',
    ],
    examples: [
      ['bash, in ~/.bashrc', 'eval "$(planroom completion bash)"'],
      ['zsh, in ~/.zshrc behind compinit', 'eval "$(planroom completion zsh)"'],
    ],
    load: () => import('./commands/completion.ts'),
  },
]
