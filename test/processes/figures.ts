import type { ServerProcess } from '../support/server-process.ts'

/** One figure of /metrics; not a number while it has none. */
export async function figure({ url }: ServerProcess, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`, { headers: { Connection: 'close' } })).text()
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.split(' ')[1])
}
