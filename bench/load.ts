import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Contender } from './contender.ts'
import type { Sample } from './draw.ts'
import { onProcessor, processors } from './processors.ts'
import type { Workload } from './workloads.ts'

export interface Task extends Pick<Contender, 'port' | 'pid' | 'prefix' | 'key'> {
  readonly workload: string
  readonly ms: number
  readonly connections: number
}

/** The results of one turn. */
export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server for a request. */
  readonly cpuMicros: number
  readonly memoryMb: number
  /** CPU time of the load for a request. Where it is near the server's, the benchmark measures the load. */
  readonly loadMicros: number
}

const connections = 32

export interface Load {
  run(contender: Contender, workload: Workload, ms: number): Promise<Measured>
  stop(): Promise<void>
}

export function startLoad(sample: Sample): Load {
  const script = new URL('load-process.ts', import.meta.url).pathname
  const [program = '', ...args] = onProcessor(processors.load, [process.execPath, script])
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.send(sample)
  return {
    async run({ name, port, pid, prefix, key }, workload, ms) {
      const task: Task = { port, pid, prefix, key, workload: workload.name, ms, connections }
      const answer = once(child, 'message')
      child.send(task)
      const [said] = (await answer) as [Measured | { failed: string }]
      if ('failed' in said) throw new Error(`${name}, ${workload.name}: ${said.failed}`)
      return said
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
