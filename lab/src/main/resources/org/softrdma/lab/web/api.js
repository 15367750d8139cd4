// SPDX-License-Identifier: Apache-2.0
// Calls of the laboratory's server. Addresses are relative: the token is part of the page's own.

async function answered(response) {
  const body = await response.json();
  if (!response.ok) {
    throw new Error(body.error);
  }
  return body;
}

export const get = async call => answered(await fetch('api/' + call));

export const post = async (call, body = {}) => answered(await fetch('api/' + call, {method: 'POST', body: JSON.stringify(body)}));

export const sendFile = async file =>
  answered(await fetch('api/recording?' + encodeURIComponent(file.name), {method: 'POST', body: file}));

/** Calls back with everything new, and with whether the server is reached. */
export function listen(onNews, onConnection) {
  const source = new EventSource('events');
  source.onmessage = event => onNews(JSON.parse(event.data));
  source.onopen = () => onConnection(true);
  source.onerror = () => onConnection(false);
}
