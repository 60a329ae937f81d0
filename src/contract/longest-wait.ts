/** How long a call may wait for a run to end, in seconds, inclusive. */
export const longestWaitSeconds = 600;
