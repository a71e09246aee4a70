import { availableParallelism, loadavg } from 'node:os'
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
    // All nodes and whoever calls them share this machine with what else runs on it.
    console.log(
      `\nLoad of the last minute, five and fifteen: ${loads()}, on ${availableParallelism()} processors.\n\n| holds | what | measured |\n|---|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}`,
    )
  }
}

const words = { passed: 'yes', failed: 'no', skipped: 'not run', pending: 'no' } as const
const wordOf = (test: TestCase): string => words[test.result().state]
const loads = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(', ')
