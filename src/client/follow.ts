import type { FollowOptions } from './client-types.ts'
import { pauseMs, wait } from './pauses.ts'
import { CallError, ProblemError } from './problem-error.ts'
import { queryOf } from './query-text.ts'
import type { Sender } from './sender.ts'

interface Frame {
  readonly id: string
  readonly data: string
}

/** Every event once, over as many connections as it takes, until the signal is aborted. */
export async function* follow(
  sender: Sender,
  path: string,
  { from, filter, signal, silence = 40_000 }: FollowOptions<object>,
): AsyncGenerator<object> {
  let cursor = from
  for (let failures = 0; !signal?.aborted; failures++) {
    const here = new AbortController()
    const both = signal ? AbortSignal.any([signal, here.signal]) : here.signal
    const isAlive = watch(silence, here)
    let problem: unknown
    try {
      const response = await sender.open({
        method: 'GET',
        path,
        query: queryOf({ filter, cursor }),
        headers: { accept: 'text/event-stream' },
        repeating: 'read',
        signal: both,
      })
      for await (const frame of framesOf(response, isAlive)) {
        failures = 0
        cursor = frame.id
        if (frame.data !== '') yield { ...JSON.parse(frame.data), cursor }
      }
    } catch (error) {
      if (isFinal(error)) throw error
      problem = error
    } finally {
      isAlive(false)
      here.abort()
    }
    await wait(pauseMs(problem, Math.min(failures + 1, 7)), signal).catch(() => {})
  }
}

/** A refusal that another try would get too. */
const isFinal = (error: unknown): boolean => {
  if (!(error instanceof ProblemError || error instanceof CallError)) return false
  const status = error.status ?? 500
  return status < 500 && status !== 408 && status !== 429
}

/** Aborts when it was not called for so long. `false` ends it. */
function watch(ms: number, controller: AbortController): (goesOn: boolean) => void {
  let timer: ReturnType<typeof setTimeout>
  const start = (goesOn: boolean): void => {
    clearTimeout(timer)
    if (goesOn) timer = setTimeout(() => controller.abort(), ms)
  }
  start(true)
  return start
}

/** Server-sent events, by the rules of the HTML standard. */
async function* framesOf(response: Response, isAlive: (goesOn: boolean) => void): AsyncGenerator<Frame> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  let id = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return
      isAlive(true)
      const lines = (rest + value).split(/\r?\n/)
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [, name, text = ''] = /^(\w*):? ?(.*)$/s.exec(line) ?? []
        if (name === 'id') id = text
        if (name === 'data') data.push(text)
        if (line !== '' || id === '') continue
        yield { id, data: data.join('\n') }
        data = []
      }
    }
  } finally {
    await reader?.cancel().catch(() => {})
  }
}
