import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Provider } from '../provider.ts';
import { readChunks } from './chunks.ts';
import { toBody } from './request.ts';

/** Gemini, through the API for developers. Its clients cannot be told how to make a request, so this is our own. */
export const openGoogle: Provider = ({ model, baseUrl, apiKey }, { fetch }) => {
  const address = `${baseUrl.replace(/\/+$/, '')}/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`;
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': apiKey };
  return async (request, signal) => {
    const body = JSON.stringify(toBody(request));
    const response = await fetch(address, { method: 'POST', headers, body, signal });
    const events = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream());
    return readChunks(events ?? []);
  };
};
