/** A mistake of the user: its message is printed without a stack. */
export class CommandMistake extends Error {}

/** The declaration's file could not be loaded, or exports no API. The cause is the error of Node, or of the file's own code. */
export class LoadMistake extends CommandMistake {
  /** The path of the declaration. */
  readonly path: string

  constructor(message: string, path: string, why?: ErrorOptions) {
    super(message, why)
    this.path = path
  }
}

/**
 * The command line itself is wrong, whatever the declaration and the store have: an argument is missing or one too many, or the value of an
 * option has a wrong form. The usage is printed below the message.
 */
export class UsageMistake extends CommandMistake {}
