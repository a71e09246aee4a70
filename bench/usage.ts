import { readdirSync, readFileSync } from 'node:fs'

/**
 * CPU time a process and its children have used, in microseconds, and their own memory in MB: without pages of files, which
 * the system can reclaim. Linux only; zero elsewhere.
 */
export function usageOf(pid: number): { readonly cpuMicros: number; readonly memoryMb: number } {
  let cpuMicros = 0
  let memoryMb = 0
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    memoryMb = Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const place = `/proc/${pid}/task/${thread}`
      cpuMicros += Number(readFileSync(`${place}/schedstat`, 'utf8').split(' ')[0]) / 1_000
      for (const child of readFileSync(`${place}/children`, 'utf8').split(' ').filter(Boolean)) {
        const more = usageOf(Number(child))
        cpuMicros += more.cpuMicros
        memoryMb += more.memoryMb
      }
    }
  } catch {
    // The process has ended, or this is no Linux.
  }
  return { cpuMicros, memoryMb }
}
