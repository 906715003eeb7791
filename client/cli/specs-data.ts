import type { CommandSpec, OptionSpec } from './command.ts'
import { REMOTE } from './help.ts'

const data: OptionSpec = {
  short: 'd',
  value: 'DIR',
  about: 'Where the plans are. PLANROOM_DATA_DIR; ./data if neither is set.',
  completes: 'directory',
}

export const dataCommands: readonly CommandSpec[] = [
  {
    name: 'backup',
    summary: 'copy all plans into a file, while the server runs',
    places: [{ name: 'FILE', about: 'The file to make; it must not be there yet.', completes: 'file' }],
    options: { data },
    about: [
      'Copies the database as it stands at one moment, on the machine that has it. A server that runs goes on meanwhile. The file holds everything that was acknowledged before the backup began, and is a database of SQLite by itself.',
      'FILE appears when it is whole and on the disk; a backup that is killed leaves no FILE.',
    ],
    examples: [
      ['Every night', 'planroom backup /backups/plans-$(date +%F).db --data /var/lib/planroom'],
      ['Look into it', 'planroom verify /backups/plans-2026-05-04.db'],
    ],
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    summary: 'put a backup into a data directory',
    places: [{ name: 'FILE', about: 'What "planroom backup" made.', completes: 'file' }],
    options: { data, force: { about: 'Put it in the place of plans that are there; those are kept beside it.' } },
    about: [
      'The server must be stopped: a directory in use is refused. One that has plans is refused too, unless --force is given; then the old database stays beside the new one under a name with the time in it, and is told.',
      'Killed at any moment it leaves the old plans or the new ones, whole. Clients that hold newer states than the backup bring them back when they connect.',
    ],
    examples: [
      ['Into an empty directory', 'planroom restore plans.db --data /var/lib/planroom'],
      ['In the place of what is there', 'planroom restore plans.db --force'],
    ],
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'verify',
    summary: 'read every plan, and say which are damaged',
    places: [
      { name: 'FILE', optional: true, about: 'A backup; the data directory if it is left out.', completes: 'file' },
    ],
    options: {
      data,
      repair: { about: 'Save of damaged plans what is left. The server must be stopped.' },
    },
    about: [
      'Reads every thread row by row, whether a server runs or not: checks the sums, rebuilds the document from its snapshot and the changes after it, and reads it. Ends with 1 if something is damaged.',
      'The server opens no plan with a hole in it, since that would look as if people had deleted things; all other plans go on. A damaged snapshot costs nothing while the log is there from the beginning.',
      '--repair makes a new database of all rows that can be read, and puts it in the place of the old one, which is kept beside it. A damaged row costs what it changed and no more, and what it said it was is told; a version is added to the log of each such plan that says so.',
    ],
    examples: [
      ['Look', 'planroom verify'],
      ['A backup, for a program', 'planroom verify plans.db --json'],
      ['Save what is left', 'planroom verify --repair --data /var/lib/planroom'],
    ],
    load: () => import('./commands/verify.ts'),
  },
  {
    name: 'compact',
    summary: 'make the database smaller',
    places: [],
    options: {
      data,
      'keep-days': {
        value: 'N',
        about:
          'Let go of the bytes of changes that are older than N days and in a snapshot. Who did what, when and why stays.',
      },
    },
    about: [
      'Takes a snapshot of every plan, so that opening is fast, and gives unused space back. The server must be stopped. Damaged plans are left as they are, and told.',
      'Agents that were last shown a version from before the snapshot must look again before they may call steps by number.',
    ],
    examples: [
      ['Only tidy up', 'planroom compact'],
      ['Keep bytes for 30 days', 'planroom compact --keep-days 30'],
    ],
    load: () => import('./commands/compact.ts'),
  },
  {
    name: 'doctor',
    summary: 'look for what is wrong with this machine, the data and the server',
    places: [],
    options: { data, ...REMOTE },
    about: [
      'Looks at the version of Node, the SQLite addon, the settings in the environment, the data directory (writable, space, in use), the database, the port, and a server, if one answers. Ends with 1 if something must be mended; warnings end with 0.',
    ],
    examples: [
      ['Before the first start, or when something is wrong', 'planroom doctor'],
      ['For a bug report', 'planroom doctor --json'],
    ],
    load: () => import('./commands/doctor.ts'),
  },
]
