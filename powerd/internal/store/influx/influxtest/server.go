package influxtest

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// What a server is started with.
const (
	Bucket        = "powerd/raw30d" // as powerd's configuration names it
	Database      = "powerd"
	AdminToken    = "admin:adminpw" // where Auth is on
	WriterToken   = "powerd:pw"     // may write to Database only
	startDeadline = 90 * time.Second
)

// Server is a running influxd.
type Server struct {
	URL string

	t    testing.TB
	bin  string
	dir  string
	addr string
	auth bool

	process *os.Process
	ended   chan struct{} // closed when the process has been waited for
}

// Start starts a server with an empty database, and ends it with the test.
func Start(t testing.TB, auth bool) *Server {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a real influxd: not with -short")
	}
	s := &Server{t: t, bin: binary(t), dir: t.TempDir(), auth: auth}
	for attempt := 1; ; attempt++ {
		s.addr = freeAddr(t)
		s.URL = "http://" + s.addr
		if s.start() {
			break
		}
		if attempt == 5 {
			t.Fatalf("start influxd on %s:\n%s", s.addr, s.log())
		}
	}
	t.Cleanup(s.Kill)
	s.prepare()
	return s
}

func (s *Server) prepare() {
	if s.auth {
		s.Query(`CREATE USER admin WITH PASSWORD 'adminpw' WITH ALL PRIVILEGES`)
	}
	s.Query(`CREATE DATABASE powerd WITH DURATION INF NAME raw30d`)
	if s.auth {
		s.Query(`CREATE USER powerd WITH PASSWORD 'pw'`)
		s.Query(`GRANT ALL ON powerd TO powerd`)
	}
}

// Kill ends the server as a power cut would: with SIGKILL.
func (s *Server) Kill() {
	if s.process == nil {
		return
	}
	if err := s.process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Errorf("kill influxd: %v", err)
	}
	<-s.ended
	s.process = nil
}

// Restart starts a killed server again: same address, same data.
func (s *Server) Restart() {
	s.t.Helper()
	for range 5 {
		if s.start() {
			return
		}
	}
	s.t.Fatalf("start influxd again on %s:\n%s", s.addr, s.log())
}

// start starts the process and waits until it is healthy; false if it ended
// instead, as it does if its port was taken meanwhile.
func (s *Server) start() bool {
	log, err := os.OpenFile(filepath.Join(s.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		s.t.Fatalf("start influxd: %v", err)
	}
	defer log.Close()
	cmd := exec.Command(s.bin, "run")
	cmd.Env, cmd.Stdout, cmd.Stderr = s.env(), log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	ended := make(chan struct{})
	go func() {
		runtime.LockOSThread() // the kernel's "parent" is this thread
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // how it ended is in its log
		}
	}()
	if err := <-started; err != nil {
		s.t.Fatalf("start influxd: %v", err)
	}
	s.process, s.ended = cmd.Process, ended
	return s.healthy()
}

func (s *Server) healthy() bool {
	client := http.Client{Timeout: 5 * time.Second}
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	deadline := time.After(startDeadline)
	for {
		resp, err := client.Get(s.URL + "/health")
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-s.ended:
			s.process = nil
			return false
		case <-deadline:
			s.t.Fatalf("influxd on %s is not healthy after %v:\n%s", s.addr, startDeadline, s.log())
		case <-poll.C:
		}
	}
}

// env sets everything whose default would listen on all interfaces, write to
// system folders, or send reports home.
func (s *Server) env() []string {
	env := append(os.Environ(),
		"INFLUXDB_REPORTING_DISABLED=true",
		"INFLUXDB_BIND_ADDRESS=127.0.0.1:0",
		"INFLUXDB_META_DIR="+filepath.Join(s.dir, "meta"),
		"INFLUXDB_DATA_DIR="+filepath.Join(s.dir, "data"),
		"INFLUXDB_DATA_WAL_DIR="+filepath.Join(s.dir, "wal"),
		"INFLUXDB_DATA_INDEX_VERSION=tsi1",
		"INFLUXDB_MONITOR_STORE_ENABLED=false",
		"INFLUXDB_HTTP_BIND_ADDRESS="+s.addr,
		"INFLUXDB_HTTP_FLUX_ENABLED=true",
		"INFLUXDB_HTTP_LOG_ENABLED=false",
		"INFLUXDB_LOGGING_LEVEL=warn",
	)
	if s.auth {
		env = append(env, "INFLUXDB_HTTP_AUTH_ENABLED=true")
	}
	return env
}

func (s *Server) log() string {
	b, err := os.ReadFile(filepath.Join(s.dir, "log"))
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-4000):])
}

// freeAddr returns a loopback address that was free a moment ago.
func freeAddr(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("find a free port: %v", err)
	}
	defer l.Close()
	return l.Addr().String()
}
