import { onTestFinished, TestRunner } from 'vitest'

type CleanUp = () => unknown
const atFileEnd: CleanUp[] = []

/** Runs `cleanUp` when the test that called it ends, or the file when a hook called it; last registered, first run. */
export function whenOver(cleanUp: CleanUp): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await cleanUp()))
  else atFileEnd.push(cleanUp)
}

export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of atFileEnd.splice(0).reverse()) await cleanUp()
}
