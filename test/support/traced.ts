import { systemProgram } from './system-program.ts'

/**
 * For `under`: strace writes every sync of a file to the file `trace`, with the name of the synced file. It can also delay each sync
 * by some milliseconds, as a slow disk does. The kernel stops the process at these calls only (`--seccomp-bpf`). strace runs beside
 * the process (`-D`), which thus has the pid and gets the signals.
 */
export function syncsTraced(trace: string, delayMs = 0): readonly string[] {
  const calls = 'fsync,fdatasync'
  const delay = delayMs > 0 ? ['-e', `inject=${calls}:delay_enter=${delayMs * 1000}`] : []
  const what = ['-e', `trace=${calls}`, '-e', 'signal=none', ...delay]
  return [systemProgram('strace', 'strace'), '-D', '-f', '--seccomp-bpf', '-qq', '-y', ...what, '-o', trace]
}
