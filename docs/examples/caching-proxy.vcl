vcl 4.1;
# Varnish as a cache in front of two machines, as /etc/varnish/default.vcl on a third one: see docs/cdn.md, whose rules it has. Replace the addresses
# and the name. Varnish cannot use TLS to reach the machines, so it uses the servers' ports over a private network.
import directors;
import std;

# Each server is asked every second. After two failures, it gets no requests until it has answered twice.
probe ready {
  .request =
    "GET /readyz HTTP/1.1"
    "Host: kalender.example"
    "Connection: close";
  .interval = 1s;
  .timeout = 1s;
  .window = 3;
  .threshold = 2;
  .initial = 2;
}
backend one_4000 {
  .host = "10.0.0.11";
  .port = "4000";
  .probe = ready;
  .connect_timeout = 1s;
  .first_byte_timeout = 10s;
}
backend one_4001 {
  .host = "10.0.0.11";
  .port = "4001";
  .probe = ready;
  .connect_timeout = 1s;
  .first_byte_timeout = 10s;
}
backend two_4000 {
  .host = "10.0.0.12";
  .port = "4000";
  .probe = ready;
  .connect_timeout = 1s;
  .first_byte_timeout = 10s;
}
backend two_4001 {
  .host = "10.0.0.12";
  .port = "4001";
  .probe = ready;
  .connect_timeout = 1s;
  .first_byte_timeout = 10s;
}
# Only for your editors and operators.
acl staff {
  "192.0.2.0"/24;
}

sub vcl_init {
  new servers = directors.round_robin();
  servers.add_backend(one_4000);
  servers.add_backend(two_4000);
  servers.add_backend(one_4001);
  servers.add_backend(two_4001);
}

sub vcl_recv {
  set req.backend_hint = servers.backend();
  # The part in front of Varnish that accepts HTTPS passes on the caller's address by the PROXY protocol, so client.ip is the caller.
  set req.http.X-Forwarded-For = client.ip;
  set req.http.X-Forwarded-Proto = "https";
  if (req.url ~ "^/(status|metrics|snapshots)([/?]|$)" && client.ip !~ staff) {
    return (synth(403));
  }
  # Varnish can send a request to a second server only if it has the whole body. almanakk accepts at most 256 KiB.
  std.cache_req_body(300KB);
  if (req.method != "GET" && req.method != "HEAD") {
    return (pass);
  }
  # Requests with a key bypass the cache.
  if (req.http.X-Api-Key || req.url ~ "[?&]key=") {
    return (pass);
  }
  # Cacheable: feeds, the lists of embeds, and queries with the preflight header. Without that header, the same address is the sandbox.
  if (req.url ~ "^/(embed\.json|events\.(ics|rss|jsonld|json|geojson|csv))(\?|$)" ||
    (req.url ~ "(?i)^/graphQL\?" && req.http.Gateway-Require-Preflight == "true")) {
    # One value for all clients. Varnish does the same with Accept-Encoding.
    set req.http.Accept = "application/json";
    return (hash);
  }
  return (pass);
}

sub vcl_hash {
  hash_data(req.http.Gateway-Require-Preflight);
}

sub vcl_backend_response {
  # Nothing is shown after its lifetime.
  set beresp.grace = 0s;
  # Without this, a response that does not say how long it may be stored is stored for two minutes.
  if (!beresp.http.Cache-Control) {
    set beresp.uncacheable = true;
  }
  # A server that is not ready, or that is overloaded: another one is asked once. Callers then get its 503 with Retry-After.
  if (beresp.status == 503 && bereq.retries == 0) {
    return (retry);
  }
}

sub vcl_backend_error {
  # No connection or no answer. The next server may be on the same machine, until the probe has noticed that the machine is lost.
  if (bereq.retries < 4) {
    return (retry);
  }
}
