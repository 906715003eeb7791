import type { CommandSpec, OptionSpec, PlaceSpec } from './command.ts'
import { REMOTE } from './help.ts'

const threadOption: OptionSpec = {
  value: 'THREAD',
  short: 't',
  about: 'Which plan. PLANROOM_THREAD.',
  completes: 'thread',
}
const threadPlace: PlaceSpec = {
  name: 'THREAD',
  optional: true,
  about: 'Which plan; the same as --thread.',
  completes: 'thread',
}
const dialect: OptionSpec = {
  value: 'DIALECT',
  about: 'outline (the default), tasks or checklist.',
  completes: ['outline', 'tasks', 'checklist'],
}
const onThread = { thread: threadOption, ...REMOTE }

export const planCommands: readonly CommandSpec[] = [
  {
    name: 'threads',
    summary: 'list the plans of a server',
    places: [],
    options: { ...REMOTE, names: { about: 'Print nothing but the ids, one a line.' } },
    about: [
      'Lists the threads that you may see, in the order of their ids: how many changes each has had, and when the last one was.',
    ],
    examples: [
      ['All of them', 'planroom threads'],
      ['Each plan as Markdown', 'for t in $(planroom threads --names); do planroom export $t -o $t.md; done'],
    ],
    load: () => import('./commands/threads.ts'),
  },
  {
    name: 'show',
    summary: 'show a plan',
    places: [threadPlace],
    options: onThread,
    about: [
      'Shows the plan as it stands: a line for each step, with the number by which agents call it, its status, its group where that changes, what it waits for and who has it.',
      'With --json it is the plan as GET /threads/THREAD gives it.',
    ],
    examples: [
      ['A plan', 'planroom show holiday'],
      [
        'What is still open',
        'planroom show holiday --json | jq -r \'.steps[] | select(.status == "pending") | .text\'',
      ],
    ],
    load: () => import('./commands/show.ts'),
  },
  {
    name: 'watch',
    summary: 'follow a plan live',
    places: [threadPlace],
    options: { ...onThread, wait: { about: 'Wait for the server, if it is not there yet.' } },
    about: [
      'Shows a plan until Ctrl-C: first how it stands, then what happens, with who did it, when and why. On a terminal the plan is drawn anew in place, arrows and PgUp, PgDn, Home and End scroll, and what happened last stands below; into a pipe goes a line for each thing, and with --json each line is a JSON document.',
      'A server that goes away is waited for. It ends with 5 if the server refuses, and with 6 if the thread is deleted.',
    ],
    examples: [
      ['A plan, live', 'planroom watch holiday'],
      ['What happens, for a program', 'planroom watch holiday --json'],
    ],
    load: () => import('./commands/watch.ts'),
  },
  {
    name: 'context',
    summary: 'the block for a prompt',
    places: [threadPlace],
    options: {
      ...onThread,
      dialect,
      'max-tokens': { value: 'N', about: 'Fold the block so that it fits, from 100.' },
      for: { value: 'NAME', about: 'Whose prompt it is, if not your own: NAME has looked then.' },
    },
    about: [
      'Prints the plan as a model is to be shown it. Whoever it is for has looked: numbers in their next call mean what is printed here.',
    ],
    examples: [
      ['For an agent that is about to be asked', 'planroom context holiday --for agent-a'],
      ['As tasks, in few tokens', 'planroom context holiday --dialect tasks --max-tokens 500'],
    ],
    load: () => import('./commands/context.ts'),
  },
  {
    name: 'call',
    summary: 'call a tool on a plan',
    places: [
      { name: 'TOOL', about: 'Such as add_todos, plan_todo_write or write_todos.', completes: 'tool' },
      {
        name: 'JSON',
        optional: true,
        about: 'The arguments; - reads them from standard input. None if it is left out.',
      },
    ],
    options: {
      ...onThread,
      key: {
        value: 'KEY',
        about: 'An Idempotency-Key: repeated with the same key, the call is done once and gives the same answer.',
      },
    },
    about: [
      'Calls any tool of any dialect, and prints what a model would read. What the plan refuses is told there too, and the exit code is 3. With --json it is the whole reply.',
      'The thread comes into being with the first change.',
    ],
    examples: [
      ['Add two steps', `planroom call add_todos '{"steps": ["Book a flat", "Pack"]}' -t holiday`],
      ['Tick one', `planroom call toggle_todos '{"indices": [1]}' -t holiday --name ada`],
      ['From a file, so that a repeat is safe', 'planroom call add_todos - -t holiday --key monday < steps.json'],
    ],
    load: () => import('./commands/call.ts'),
  },
  {
    name: 'import',
    summary: 'make a plan of Markdown',
    places: [{ name: 'FILE', about: 'A Markdown file; - reads standard input.', completes: 'file' }],
    options: {
      ...onThread,
      append: { about: 'Put the steps behind those that the plan has.' },
      replace: { about: 'Remove what the plan has first.' },
      'dry-run': { about: 'Only tell what would be imported.' },
      strict: { about: 'Refuse a file of which a line would be left out.' },
      lenient: { about: 'Take a file of which more than a tenth of the list items is left out.' },
    },
    about: [
      'Reads lists of tasks as people have them: README lists, tasks of spec-kit, bullets nested by tabs or 2, 3 or 4 blanks, numbered lists, CRLF. Headings are groups, the first of level 1 is the title. Nothing in a code fence or a comment is a step. Bullets without checkboxes are steps if the file has no checkboxes at all, or if tasks stand below them; else they become details of the step above.',
      'Marks: [ ] pending, [x] completed, [*] or [/] in progress, [!] blocked; [-] is in progress where open tasks stand below it and in the files of Kiro, else cancelled. Signs such as ✅, the words of Logseq (TODO, DOING, DONE) and tables with a column of statuses are read too, numbers such as 1 and 1.1 nest, and the ids of Obsidian Tasks are dependencies. What "planroom export" writes comes back as it was.',
      'Which lines were left out, and why, is told on standard error. A plan that has steps already is changed only with --append or --replace.',
      'A long file goes in by several changes. If the server goes away between them, what went in stays.',
    ],
    examples: [
      ['A new plan', 'planroom import TODO.md -t holiday'],
      ['Look first', 'planroom import tasks.md -t feature --dry-run'],
      ['From one plan to another', 'planroom export holiday | planroom import - -t holiday-2'],
    ],
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'export',
    summary: 'a plan as Markdown',
    places: [threadPlace],
    options: {
      ...onThread,
      output: { short: 'o', value: 'FILE', about: 'Write it into this file, whole or not at all.', completes: 'file' },
    },
    about: [
      'Prints the plan as nested lists with statuses. Groups are headings; below a step stand its details as a quotation, and what it depends on, who has it and its id as bullets. "planroom import" makes the same plan of it, but for who changed what when, and for claims.',
    ],
    examples: [
      ['Into a file', 'planroom export holiday -o holiday.md'],
      ['Onto the clipboard', 'planroom export holiday | xclip'],
    ],
    load: () => import('./commands/export.ts'),
  },
  {
    name: 'history',
    summary: 'who changed what, and why',
    places: [threadPlace],
    options: {
      ...onThread,
      after: { value: 'VERSION', about: 'Only what came after this version.' },
      last: { value: 'N', about: 'Only the last N changes.' },
    },
    about: [
      'Tells every change of a plan: its version, when it was, who made it by what tool, what it did, and what was said about why.',
    ],
    examples: [
      ['The last ten changes', 'planroom history holiday --last 10'],
      ['What an agent did', 'planroom history holiday --json | jq \'.entries[] | select(.actor.name == "agent-a")\''],
    ],
    load: () => import('./commands/history.ts'),
  },
]
