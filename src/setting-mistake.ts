/** An environment variable or option that cannot be: said to the person who starts the service, without a stack. */
export class SettingMistake extends Error {}
