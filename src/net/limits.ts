/** The largest JSON text (UTF-8 bytes, inclusive) that stands in an event itself; a larger one is kept by its hash. */
export const inlinePayloadBytes = 256_000;

/** The largest part of one payload that is stored (UTF-8 bytes, inclusive); the rest is cut. */
export const storedPayloadBytes = 8_000_000;

/** The largest message or response body (bytes, inclusive) that is read from outside; what exceeds it is an error. */
export const incomingBytes = 64_000_000;

/** The deepest nesting of a JSON value from outside that is kept: readers of traces walk values recursively. */
export const jsonDepth = 500;

/** The longest text (UTF-16 units) that a model is given of one tool call. */
export const modelTextLength = 100_000;
