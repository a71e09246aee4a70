import type { Writable } from 'node:stream'
import { CommandMistake } from './command-mistake.ts'

/** The reader of the output has closed it, as `head` does when it has seen enough. */
export class OutputClosed extends Error {}

/** Writes to a stream, and waits until it has room for more. */
export function openOutput(stream: Writable): (text: string) => Promise<void> {
  // Without a listener an error of the stream would end the process with a stack.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {})
  return (text) =>
    new Promise((resolve, reject) => {
      stream.write(text, (error) => {
        if (error) reject(outputMistake(error))
        else resolve()
      })
    })
}

function outputMistake(error: NodeJS.ErrnoException): Error {
  if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') return new OutputClosed()
  const why = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  return new CommandMistake(
    `The output could not be written: ${why}. What was written so far is not complete.`,
  )
}
