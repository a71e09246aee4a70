/** A mistake of the user: its message is printed without a stack. */
export class CommandMistake extends Error {}

/** The command line itself is wrong: an argument is missing, or is one too many. The usage is printed below the message. */
export class UsageMistake extends CommandMistake {}
