import type { Reporter, TestCase, TestModule } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** What was measured, for the table. */
    figure?: string
  }
}

/** Prints a row for each test after the run: what holds, whether it does, what was measured. */
export default class Table implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const rows = tests.map((test) => [wordOf(test), test.name, test.meta().figure ?? ''])
    const broken = modules.filter((module) => module.children.size === 0 || module.errors().length > 0)
    for (const module of broken) rows.push(['no', module.relativeModuleId, 'the file could not be run'])
    console.log(
      `\n| holds | what | measured |\n|---|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
    )
  }
}

const wordOf = (test: TestCase): string => (test.result().state === 'passed' ? 'yes' : 'no')
