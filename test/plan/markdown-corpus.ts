/** A file in a shape that people keep, and what it means: depth, status, text and what follows from it. */
export interface KeptFile {
  readonly name: string
  readonly markdown: string
  readonly steps: readonly string[]
  readonly title?: string
  /** Lines of what is told, as parts of them. */
  readonly told?: readonly string[]
  readonly leftOut?: number
}

/** Written for these tests, in the shapes that the programs' manuals show. */
export const KEPT_FILES: readonly KeptFile[] = [
  {
    name: 'numbers at one indent',
    markdown: '1. Set up\n1.1 Repository\n1.2. Pipeline\n1.2.1 Cache\n2. Build\n2.1 Parser\n',
    steps: ['[ ] Set up', '.[ ] Repository', '.[ ] Pipeline', '..[ ] Cache', '[ ] Build', '.[ ] Parser'],
  },
  {
    name: 'numbers behind checkboxes, at one indent',
    markdown: '- [x] 1. Set up\n- [x] 1.1 Repository\n- [ ] 1.2 Pipeline\n- [ ] 2. Build\n- [ ] 2.1 Parser\n',
    steps: ['[x] 1. Set up', '.[x] 1.1 Repository', '.[ ] 1.2 Pipeline', '[ ] 2. Build', '.[ ] 2.1 Parser'],
  },
  {
    name: 'numbers that nest by indentation already',
    markdown: '1. Set up\n   1.1. Repository\n   1.2. Pipeline\n2. Build\n',
    steps: ['[ ] Set up', '.[ ] Repository', '.[ ] Pipeline', '[ ] Build'],
  },
  {
    name: 'numbers that mean nothing',
    markdown: '- [ ] 3.5 million rows\n- [ ] 1. first\n\n2.5 percent of all is text.\n',
    steps: ['[ ] 3.5 million rows', '[ ] 1. first'],
  },
  {
    name: 'notes below numbered items stay with them',
    markdown: '- [ ] 1. Set up\n- [ ] 1.1 Repository\n  - on the server\n- [ ] 1.2 Pipeline\n',
    steps: ['[ ] 1. Set up', '.[ ] 1.1 Repository {- on the server}', '.[ ] 1.2 Pipeline'],
  },
  {
    name: 'Kiro',
    markdown: `# Implementation Plan

- [x] 1. Set up project structure
  - Create directories
  - _Requirements: 1.1_

- [-] 2. Implement models
- [x] 2.1 Create interfaces
  - _Requirements: 2.1, 3.3_
- [-] 2.2 Implement User
  - _Requirements: 1.2_
- [ ]* 2.3 Write property tests
  - _Requirements: 1.2_
`,
    title: 'Implementation Plan',
    steps: [
      '[x] 1. Set up project structure {- Create directories / - _Requirements: 1.1_}',
      '[*] 2. Implement models',
      '.[x] 2.1 Create interfaces {- _Requirements: 2.1, 3.3_}',
      '.[*] 2.2 Implement User {- _Requirements: 1.2_}',
      '.[ ] 2.3 Write property tests {- _Requirements: 1.2_}',
    ],
  },
  {
    name: '[-] with open sub-tasks, and without',
    markdown: '- [-] Move house\n  - [x] Pack\n  - [ ] Drive\n- [-] Paint\n  - [x] Buy paint\n- [-] Sell\n',
    steps: ['[*] Move house', '.[x] Pack', '.[ ] Drive', '[-] Paint', '.[x] Buy paint', '[-] Sell'],
    told: ['4: the mark [-] was read as cancelled', '6: the mark [-] was read as cancelled'],
  },
  {
    name: 'signs instead of checkboxes',
    markdown: '# Release\n\n- ✅ Tag\n- 🚧 Notes\n  - ⬜ Draft\n- ❌ Party\n- ⏸️ Blog\n- ☑️ Build\n',
    title: 'Release',
    steps: ['[x] Tag', '[*] Notes', '.[ ] Draft', '[-] Party', '[!] Blog', '[x] Build'],
  },
  {
    name: 'signs among checkboxes',
    markdown: '- [x] ✅ kept\n- ✅ Tag\n- 🎉 Party\n',
    steps: ['[x] ✅ kept', '[x] Tag'],
    leftOut: 1,
  },
  {
    name: 'a table with statuses',
    markdown: `## Milestones

| # | Task | Status | Owner | Due |
|---|:-----|--------|-------|-----|
| 1 | Design | ✅ Done | ada | May |
| 2 | Build \\| test | In Progress | - | |
| 3 | Ship | Someday | | June |
`,
    steps: [
      '[x] Design (Milestones) @ada {Due: May}',
      '[*] Build | test (Milestones)',
      '[ ] Ship (Milestones) {Status: Someday / Due: June}',
    ],
    told: ['7: the status is not known'],
  },
  {
    name: 'a table with ids and dependencies',
    markdown:
      '| ID | Title | State | Depends on |\n|-|-|-|-|\n| A-1 | First | done | |\n| A-2 | Second | blocked | A-1 |\n',
    steps: ['[x] First =A-1', '[!] Second =A-2 <0'],
  },
  {
    name: 'a table of signs',
    markdown: 'Feature | Done\n--- | ---\nLogin | ✔️\nLogout | ⬜\n\nAfter it.\n',
    steps: ['[x] Login', '[ ] Logout'],
  },
  {
    name: 'a table without statuses',
    markdown: '- [ ] a\n\n| Key | Meaning |\n|---|---|\n| a | b |\n',
    steps: ['[ ] a'],
  },
  {
    name: 'front matter of one task',
    markdown: `---
id: task-7
title: 'Add search'
status: In Progress
assignee:
  - '@ada'
created_date: 2025-07-01
---

## Acceptance Criteria

- [x] Finds words
- [ ] Ranks them
`,
    title: 'Add search',
    steps: ['[*] Add search @@ada', '.[x] Finds words (Acceptance Criteria)', '.[ ] Ranks them (Acceptance Criteria)'],
  },
  {
    name: 'front matter with a title and an assignee',
    markdown: '---\ntitle: Garden\nassignee: ben\n---\n- [ ] Dig\n  - [ ] Deep\n- [ ] Sow\n  - owner: ada\n',
    title: 'Garden',
    steps: ['[ ] Dig @ben', '.[ ] Deep', '[ ] Sow @ada'],
  },
  {
    name: 'front matter with a status that nobody knows',
    markdown: '---\ntitle: Garden\nstatus: dreaming\n---\n- [ ] Dig\n',
    title: 'Garden',
    steps: ['[ ] Dig'],
    told: ['1: the status "dreaming" of the front matter is not known'],
  },
  {
    name: 'Obsidian Tasks with signs',
    markdown: '- [ ] Brush 🆔 abc 📅 2025-01-02 ⏫\n- [ ] Rinse ⛔ abc,nope\n- [ ] Both 🆔 z1 ⛔ abc\n',
    steps: ['[ ] Brush 📅 2025-01-02 ⏫ =abc', '[ ] Rinse <0,nope', '[ ] Both =z1 <0'],
  },
  {
    name: 'Obsidian Tasks with fields',
    markdown: '- [ ] Brush [id:: abc] [due:: 2025-01-02]\n- [x] Rinse [dependsOn:: abc]\n',
    steps: ['[ ] Brush [due:: 2025-01-02] =abc', '[x] Rinse <0'],
  },
  {
    name: 'Logseq',
    markdown:
      '- TODO Call [[Ada]]\n\t- DOING Find the number\n- DONE Write\n- LATER [#A] Read\n- NOW Sleep\n- WAITING Post\n',
    steps: ['[ ] Call [[Ada]]', '.[*] Find the number', '[x] Write', '[ ] [#A] Read', '[*] Sleep', '[!] Post'],
  },
  {
    name: 'words that only begin like those of Logseq',
    markdown: '- TODOS are many\n- Done with it\n- Now or never\n',
    steps: ['[ ] TODOS are many', '[ ] Done with it', '[ ] Now or never'],
  },
  {
    name: 'marks that nobody knows',
    markdown: '- [>] moved\n- [ ] a\n- [x] b\n',
    steps: ['[ ] [>] moved', '[ ] a', '[x] b'],
    told: ['1: the mark [>] is not known: it was read as pending, and stays in the text'],
  },
  {
    name: 'optional tasks',
    markdown: '- [ ]* Write tests\n- [x]* Measure\n- [ ] *emphasis* stays\n',
    steps: ['[ ] Write tests', '[x] Measure', '[ ] *emphasis* stays'],
  },
  {
    name: 'spec-kit',
    markdown:
      '## Phase 1\n- [x] T001 Set up\n- [ ] T002 [P] Lint\n## Phase 2\n- [ ] T003 Serve (depends on T001, T002)\n',
    steps: [
      '[x] T001 Set up (Phase 1) =T001',
      '[ ] T002 [P] Lint (Phase 1) =T002',
      '[ ] T003 Serve (depends on T001, T002) (Phase 2) =T003 <0,1',
    ],
  },
]
