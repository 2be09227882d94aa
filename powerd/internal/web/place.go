package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"powerd/powerd/internal/textfile"
)

// The files by which a machine's daemon is found, in the folder of state.
const (
	placeFile = "serve.json"
	lockFile  = "serve.lock"
	tokenFile = "serve.token"
)

// Place is where a daemon is.
type Place struct {
	Pid       int      `json:"pid"`
	URL       string   `json:"url"`
	Benches   []string `json:"benches"`
	Runs      string   `json:"runs"`                 // folder of runs
	TokenFile string   `json:"token_file,omitempty"` // readable by the daemon's user; "" = it needs none
}

// URLOf returns where a daemon that listens on host:port is reached from this machine: one
// that listens on all addresses is on loopback, too.
func URLOf(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip, parsed := netip.ParseAddr(host); err == nil && (host == "" || parsed == nil && ip.IsUnspecified()) {
		address = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + address
}

// Claim is the right to be the daemon of a folder of state. It ends with its process,
// however that ends.
type Claim struct {
	state string
	lock  *os.File
}

// NewClaim takes the right, or says who has it.
func NewClaim(state string) (*Claim, error) {
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of state: %w; choose another place with state", err)
	}
	f, err := os.OpenFile(filepath.Join(state, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("claim to serve: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		c := &Claim{state: state, lock: f}
		c.forget() // what one left that was killed is not where this one is
		return c, nil
	}
	f.Close()
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("claim to serve: lock %s: %w", f.Name(), err)
	}
	who := ""
	if p, err := readPlace(state); err == nil {
		who = fmt.Sprintf(" (pid %d at %s)", p.Pid, p.URL)
	}
	return nil, fmt.Errorf("another powerd serves already%s, with the same folder of state %s; stop it, or give this one a folder of its own with state", who, state)
}

// Publish says where the daemon is. The token, if there is one, is written for its own
// user to read.
func (c *Claim) Publish(p Place, token string) error {
	p.Pid = os.Getpid()
	if token != "" {
		p.TokenFile = filepath.Join(c.state, tokenFile)
		if err := os.WriteFile(p.TokenFile, []byte(token), 0o600); err != nil {
			return fmt.Errorf("say where powerd serves: %w", err)
		}
	}
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("say where powerd serves: %w", err)
	}
	if err := textfile.Replace(filepath.Join(c.state, placeFile), append(data, '\n')); err != nil {
		return fmt.Errorf("say where powerd serves: %w", err)
	}
	return nil
}

// Close takes the word back, and gives the right up.
func (c *Claim) Close() error {
	c.forget()
	return c.lock.Close()
}

// forget removes the word of where the daemon is.
func (c *Claim) forget() {
	for _, name := range []string{placeFile, tokenFile} {
		os.Remove(filepath.Join(c.state, name))
	}
}

func readPlace(state string) (Place, error) {
	var p Place
	data, err := os.ReadFile(filepath.Join(state, placeFile))
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("look for a powerd that serves: %w", err)
	}
	return p, nil
}

// lives reports whether a daemon holds the claim.
func lives(state string) bool {
	f, err := os.Open(filepath.Join(state, lockFile))
	if err != nil {
		return false
	}
	defer f.Close() // gives the lock back
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB), unix.EWOULDBLOCK)
}
