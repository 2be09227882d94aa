package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// isLoopback reports whether an address is reached from this machine only.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// guard lets in who may come in, and says in the API's form what there is not.
func guard(token string, mux *http.ServeMux) http.Handler {
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		handler, pattern := mux.Handler(r)
		switch {
		case token == "" && !isLoopback(r.Host):
			problem(w, http.StatusForbidden, fmt.Sprintf("this powerd answers to requests for 127.0.0.1 or localhost, not for %q", r.Host))
		case token != "" && !bears(r, want):
			h.Set("WWW-Authenticate", "Bearer")
			problem(w, http.StatusUnauthorized, "give the token of serve.token: Authorization: Bearer …")
		case pattern == "":
			unrouted(w, r, handler)
		case changes(r) && !isJSON(r):
			problem(w, http.StatusUnsupportedMediaType, "send Content-Type: application/json")
		default:
			mux.ServeHTTP(w, r)
		}
	})
}

// unrouted answers what leads nowhere: no such address, or a method that it does not take.
func unrouted(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	said := &silent{header: http.Header{}, status: http.StatusNotFound}
	handler.ServeHTTP(said, r)
	if said.status == http.StatusMethodNotAllowed {
		allow := said.header.Get("Allow")
		w.Header().Set("Allow", allow)
		problem(w, said.status, fmt.Sprintf("%s takes %s, not %s; GET / lists what there is", r.URL.Path, allow, r.Method))
		return
	}
	problem(w, http.StatusNotFound, r.URL.Path+" is not there; GET / lists what there is")
}

// silent hears how a request would be answered.
type silent struct {
	header http.Header
	status int
}

func (s *silent) Header() http.Header         { return s.header }
func (s *silent) Write(b []byte) (int, error) { return len(b), nil }
func (s *silent) WriteHeader(status int)      { s.status = status }

// bears reports whether a request has the token. It takes as long for any wrong one.
func bears(r *http.Request, want [sha256.Size]byte) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	got := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1 && ok
}

// changes reports whether a request may change something by what it sends. A page cannot
// send a DELETE to a foreign host at all.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodDelete
}

func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}
